-- One row for each customer.
return projection {
  from = { categories = { "order" } },
  key = function(event) return event.data.customer end,
  on = {
    OrderPlaced = function(row, event)
      row.orders = (row.orders or 0) + 1
      row.total = (row.total or 0) + event.data.total
      row.currency = event.data.currency
    end,
  },
}
