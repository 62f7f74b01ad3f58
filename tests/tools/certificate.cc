#include "tests/tools/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace cairn::test {

namespace {

void need(bool good) {
  if (!good) std::abort();
}

void add_extension(X509* certificate, int name, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, name, value);
  need(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

}  // namespace

void make_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pair(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  need(pair != nullptr && made != nullptr);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 24 * 60 * 60);
  X509_set_pubkey(made.get(), pair.get());
  X509_NAME* name = X509_get_subject_name(made.get());
  const auto* text = reinterpret_cast<const unsigned char*>("localhost");
  need(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1);
  X509_set_issuer_name(made.get(), name);
  add_extension(made.get(), NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
  add_extension(made.get(), NID_basic_constraints, "critical,CA:TRUE");
  need(X509_sign(made.get(), pair.get(), EVP_sha256()) > 0);

  const auto write = [](const std::filesystem::path& path, auto&& content) {
    FILE* file = std::fopen(path.c_str(), "w");
    need(file != nullptr && content(file) == 1);
    need(std::fclose(file) == 0);
  };
  write(certificate, [&](FILE* file) { return PEM_write_X509(file, made.get()); });
  write(key, [&](FILE* file) {
    return PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace cairn::test
