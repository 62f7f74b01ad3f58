-- The first version of the upcaster, which does not accept a comma. When an event has one, deploying this script is
-- refused, and the event is listed. ../schemas/OrderPlaced/1-2.lua is the corrected one.

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
