#pragma once

#include <string>

namespace cairn::api {

// The message of an error as a sentence, which is what a problem's detail is: "stream 'order-1' is at version
// 1" becomes "Stream 'order-1' is at version 1.". What begins with a name (x.lua: …) keeps it as it is.
std::string sentence(std::string message);

}  // namespace cairn::api
