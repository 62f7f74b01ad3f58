-- The upcaster as it was first written: it knows no comma. Where an event has one, deploying this is refused, and the
-- event is named. ../schemas/OrderPlaced/1-2.lua is the mended one.

return upcaster {
  type = "OrderPlaced",
  from = 1,
  to = 2,

  upcast = function(data)
    local whole, cents = string.match(data.total, "^(%d+)%.(%d%d)$")
    if not whole then error("cannot read the total '" .. data.total .. "'") end
    data.total_cents = tonumber(whole) * 100 + tonumber(cents)
    data.total = nil
    return data
  end,
}
