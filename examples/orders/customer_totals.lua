-- The totals of each customer: one row for each customer id. Euros are added up in total_cents, other currencies
-- by their name in `foreign_cents`.

return projection {
  from = { categories = { "order" }, types = { "OrderPlaced" } },

  key = function(event) return event.data.customer_id end,

  on = {
    OrderPlaced = function(row, event)
      local cents, currency = event.data.total_cents, event.data.currency
      row.orders = (row.orders or 0) + 1
      if currency == "EUR" then
        row.total_cents = (row.total_cents or 0) + cents
      else
        row.foreign_cents = row.foreign_cents or {}
        row.foreign_cents[currency] = (row.foreign_cents[currency] or 0) + cents
      end
    end,
  },
}
