#pragma once

#include <boost/asio/ssl/context.hpp>

#include "api/net/tls.h"

namespace cairn::api {

// Only for tls.cc and transport.cc, so that other sources do not include the headers of OpenSSL.
struct TlsContext::Native {
  boost::asio::ssl::context context{boost::asio::ssl::context::tls_server};
};

}  // namespace cairn::api
