#pragma once

#include <utility>

#include <boost/asio/ssl/context.hpp>

#include "api/net/tls.h"

namespace cairn::api {

// For transport.cc: the headers of OpenSSL stay out of everybody else's way.
struct TlsContext::Native {
  boost::asio::ssl::context context{boost::asio::ssl::context::tls_server};
};

}  // namespace cairn::api
