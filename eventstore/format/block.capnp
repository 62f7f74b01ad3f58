@0xd2c4a1b6e8f09375;
# The events of one commit. In the log it follows the fixed block header. docs/format.md describes every field.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cairn::format");

struct Block {
  streams @0 :List(Text);   # names of the streams in this block, each once
  types @1 :List(Text);     # names of the event types in this block, each once
  events @2 :List(Event);   # in position order; the first has the header's first position
}

struct Event {
  stream @0 :UInt32;        # index into streams
  type @1 :UInt32;          # index into types
  version @2 :UInt64;       # number in its stream, from 1
  previous @3 :UInt64;      # position of the stream's event before this one; 0 for the first
  jump @4 :UInt64;          # position of the event at jump_version(version); 0 for none
  idHigh @5 :UInt64;        # the id's first eight bytes, big-endian
  idLow @6 :UInt64;         # and its last eight
  checksum @7 :UInt64;      # of all fields of the event, with its names and position
  schema @8 :UInt32;        # 0 = free JSON
  flags @9 :UInt32;         # bit 0: the store chose the id
  data @10 :Data;
  metadata @11 :Data;
  tags @12 :List(Text);
}
