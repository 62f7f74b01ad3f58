-- What each customer has ordered: one row for each customer id.

return projection {
  from = { categories = { "order" }, types = { "OrderPlaced" } },

  key = function(event) return event.data.customer_id end,

  on = {
    OrderPlaced = function(row, event)
      row.orders = (row.orders or 0) + 1
      row.total_cents = (row.total_cents or 0) + event.data.total_cents
    end,
  },
}
