#include "api/net/tls.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <ctime>
#include <string>

#include "api/net/tls_native.h"

namespace cairn::api {

namespace {

namespace ssl = boost::asio::ssl;

Error cannot_use(const std::string& what, const std::filesystem::path& file,
                 const boost::system::error_code& error) {
  return make_error(Errc::kInvalidArgument,
                    "cannot use " + file.string() + " as the TLS " + what + ": " + error.message());
}

}  // namespace

TlsContext::TlsContext(std::unique_ptr<Native> native) : native_(std::move(native)) {}
TlsContext::~TlsContext() = default;

Result<std::unique_ptr<TlsContext>> TlsContext::load(const TlsFiles& files) {
  auto native = std::make_unique<Native>();
  ssl::context& context = native->context;
  boost::system::error_code error;
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                          ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | ssl::context::no_compression,
                      error);
  if (error) return cannot_use("certificate", files.certificate, error);
  // A client could exhaust the CPU by renegotiating keys in a loop.
  SSL_CTX_set_options(context.native_handle(), SSL_OP_NO_RENEGOTIATION);
  context.use_certificate_chain_file(files.certificate.string(), error);
  if (error) return cannot_use("certificate", files.certificate, error);
  context.use_private_key_file(files.key.string(), ssl::context::pem, error);
  if (error) return cannot_use("key", files.key, error);
  return std::unique_ptr<TlsContext>(new TlsContext(std::move(native)));
}

std::optional<Timestamp> TlsContext::valid_until() const {
  const X509* certificate = SSL_CTX_get0_certificate(native_->context.native_handle());
  std::tm end{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1)
    return std::nullopt;
  return Timestamp{static_cast<std::int64_t>(::timegm(&end)) * 1'000'000};
}

}  // namespace cairn::api
