-- What is in each cart: one row for each stream, since there is no key function.

return projection {
  from = { categories = { "cart" } },
  on = {
    ItemAdded = function(row, event)
      row.items = (row.items or 0) + 1
      row.cents = (row.cents or 0) + event.data.cents
    end,
  },
}
