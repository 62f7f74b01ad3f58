-- The first version of the projection, for euros only. An order in another currency is parked with its customer.
-- ../customer_totals.lua is the corrected one.

return projection {
  from = { categories = { "order" }, types = { "OrderPlaced" } },

  key = function(event) return event.data.customer_id end,

  on = {
    OrderPlaced = function(row, event)
      if event.data.currency ~= "EUR" then error("cannot add " .. event.data.currency .. " to euros") end
      row.orders = (row.orders or 0) + 1
      row.total_cents = (row.total_cents or 0) + event.data.total_cents
    end,
  },
}
