-- In version 1 a total was text, such as "12.50"; since version 2 it is a number of cents. Most totals were written
-- by a program; some were typed, with a comma: "12,50".

return upcaster {
  type = "OrderPlaced",
  from = 1,
  to = 2,

  upcast = function(data)
    local whole, cents = string.match(data.total, "^(%d+)[.,](%d%d)$")
    if not whole then error("cannot read the total '" .. data.total .. "'") end
    data.total_cents = tonumber(whole) * 100 + tonumber(cents)
    data.total = nil
    return data
  end,
}
