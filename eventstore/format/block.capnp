@0xd2c4a1b6e8f09375;
# The events and notes of one commit. In the log it follows the fixed block header. docs/format.md describes every
# field.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cairn::format");

struct Block {
  streams @0 :List(Text);   # names of the streams in this block, each once
  types @1 :List(Text);     # names of the event types in this block, each once
  events @2 :List(Event);   # in position order; the first has the header's first position
  notes @3 :List(Note);     # facts that are durable together with the events
  parts @4 :List(Part);     # what few events have, in the order of the events
}

# The root of a block of format 1.
struct Block1 {
  streams @0 :List(Text);
  types @1 :List(Text);
  events @2 :List(Event);
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
  flags @9 :UInt32;         # see stored_event.h
  data @10 :Data;
  metadata @11 :Data;
  tags @12 :List(Text);
}

struct Note {
  kind @0 :UInt32;
  flags @1 :UInt32;         # bit 0: a program that does not know the kind must not read the block
  bytes @2 :Data;
}

struct Part {
  event @0 :UInt32;         # index into events
  kind @1 :UInt32;          # see stored_event.h
  bytes @2 :Data;
}
