-- Orders of version 1 were all paid in euros.
return upcaster {
  type = "OrderPlaced", from = 1, to = 2,
  upcast = function(data)
    data.currency = "EUR"
    return data
  end,
}
