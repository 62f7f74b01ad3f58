-- The revenue of each day (UTC): one row for each date and currency, such as "2026-11-17 EUR". Rows are sorted by
-- key, and therefore by day.

local MICROS_PER_DAY = 24 * 60 * 60 * 1000000

-- The date of a day counted from 1970-01-01, with integers only. Years begin in March here, so that the
-- leap day, February 29, is the last day of its year.
local function date_of(day)
  local shifted = day + 719468                            -- days since 0000-03-01
  local era = shifted // 146097                           -- of 400 years, which have the same number of days
  local day_of_era = shifted % 146097
  local year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
  local day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
  local month_from_march = (5 * day_of_year + 2) // 153
  local day_of_month = day_of_year - (153 * month_from_march + 2) // 5 + 1
  local month = month_from_march < 10 and month_from_march + 3 or month_from_march - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  return string.format("%04d-%02d-%02d", year, month, day_of_month)
end

return projection {
  from = { categories = { "order" }, types = { "OrderPlaced" } },

  key = function(event) return date_of(event.recorded_at // MICROS_PER_DAY) .. " " .. event.data.currency end,

  on = {
    OrderPlaced = function(row, event)
      row.orders = (row.orders or 0) + 1
      row.revenue_cents = (row.revenue_cents or 0) + event.data.total_cents
    end,
  },
}
