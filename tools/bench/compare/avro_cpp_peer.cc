#include "tools/bench/compare/avro_cpp_peer.h"

#include "tools/bench/compare/value_sink.h"

#if CAIRN_HAVE_AVRO

#include <avro/Compiler.hh>
#include <avro/Decoder.hh>
#include <avro/Generic.hh>
#include <avro/GenericDatum.hh>
#include <avro/Stream.hh>
#include <avro/ValidSchema.hh>

namespace cairn::bench {
namespace {

class Peer final : public AvroCppPeer {
 public:
  Peer(const avro::ValidSchema& writer, const avro::ValidSchema& reader)
      : reader_(reader),
        decoder_(avro::resolvingDecoder(writer, reader, avro::binaryDecoder())),
        datum_(reader) {}

  Result<std::uint64_t> read_all(const std::vector<std::string>& records) override {
    std::uint64_t all = 0;
    try {
      for (const std::string& record : records) {
        auto input =
            avro::memoryInputStream(reinterpret_cast<const std::uint8_t*>(record.data()), record.size());
        decoder_->init(*input);
        avro::GenericReader::read(*decoder_, datum_, reader_);
        all += sum();
      }
    } catch (const std::exception& error) {
      return make_error(Errc::kCorruption, std::string("Avro C++: ") + error.what());
    }
    return all;
  }

 private:
  std::uint64_t sum() const {
    std::uint64_t all = 0;
    const auto& record = datum_.value<avro::GenericRecord>();
    for (std::size_t i = 0; i < record.fieldCount(); ++i) {
      const avro::GenericDatum& field = record.fieldAt(i);
      if (field.type() == avro::AVRO_LONG) {
        all = add_to_sum(all, field.value<std::int64_t>());
      } else {
        all = add_to_sum(all, field.value<std::string>());
      }
    }
    return all;
  }

  avro::ValidSchema reader_;
  avro::ResolvingDecoderPtr decoder_;
  avro::GenericDatum datum_;
};

}  // namespace

Result<std::unique_ptr<AvroCppPeer>> AvroCppPeer::make(std::string_view writer, std::string_view reader) {
  try {
    return std::unique_ptr<AvroCppPeer>(
        std::make_unique<Peer>(avro::compileJsonSchemaFromString(std::string(writer)),
                               avro::compileJsonSchemaFromString(std::string(reader))));
  } catch (const std::exception& error) {
    return make_error(Errc::kInvalidArgument, std::string("Avro C++: ") + error.what());
  }
}

}  // namespace cairn::bench

#else

namespace cairn::bench {

Result<std::unique_ptr<AvroCppPeer>> AvroCppPeer::make(std::string_view, std::string_view) {
  return make_error(Errc::kFailedPrecondition, "built without Avro C++, so there is nothing to compare with");
}

}  // namespace cairn::bench

#endif
