-- The orders that are neither shipped nor cancelled: one row for each, deleted when the order is closed. Without a
-- key function the row's key is the name of the event's stream.

local function close(row, event) return DELETE end

return projection {
  from = { categories = { "order" } },

  on = {
    OrderPlaced = function(row, event)
      row.customer_id = event.data.customer_id
      row.total_cents = event.data.total_cents
      row.currency = event.data.currency
      row.placed_at = event.recorded_at
    end,
    OrderShipped = close,
    OrderCancelled = close,
  },
}
