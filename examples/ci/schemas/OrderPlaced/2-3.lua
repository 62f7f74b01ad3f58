-- Up to version 2 a total was a number of cents, and all prices were in euros.
return upcaster {
  type = "OrderPlaced",
  from = 2,
  to = 3,
  upcast = function(data)
    data.total = {cents = data.total_cents, currency = "EUR"}
    data.total_cents = nil
    return data
  end,
}
