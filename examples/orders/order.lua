-- The state of one order: `cairn state order-42` shows it, now or at any earlier time.

return aggregate {
  category = "order",

  initial = function() return { status = "new" } end,

  on = {
    OrderPlaced = function(state, event)
      state.status = "placed"
      state.customer_id = event.data.customer_id
      state.total_cents = event.data.total_cents
      state.currency = event.data.currency
    end,
    OrderShipped = function(state, event)
      state.status = "shipped"
      state.carrier = event.data.carrier
    end,
    OrderCancelled = function(state, event)
      state.status = "cancelled"
      state.reason = event.data.reason
    end,
  },
}
