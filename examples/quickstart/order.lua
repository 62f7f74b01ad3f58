-- What the events of one order come to.
return aggregate {
  category = "order",
  initial = function() return { total = 0 } end,
  on = {
    OrderPlaced = function(state, event)
      state.customer = event.data.customer
      state.total = state.total + event.data.total
      state.currency = event.data.currency
    end,
  },
}
