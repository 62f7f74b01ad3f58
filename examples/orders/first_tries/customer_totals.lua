-- The projection as it was first written, for euros alone. An order in another currency parks its customer's row.
-- ../customer_totals.lua is the mended one.

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
