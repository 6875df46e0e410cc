package io.georep.bench.demo;

import io.georep.bench.process.Link;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What the demo's controller (producers and consumer) and a node process tell each other, as any client of a service
 * would. Each message is a type byte and its fields in order.
 */
sealed interface DemoMessage extends Link.Message {
    /** Node: it runs and takes entries. First message on a link. */
    record Hello(String node, String address, long incarnation) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(1);
            out.writeUTF(node);
            out.writeUTF(address);
            out.writeLong(incarnation);
        }
    }

    /** Producer: please send this. */
    record Submit(long attempt, byte[] payload) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(2);
            out.writeLong(attempt);
            writeBytes(out, payload);
        }
    }

    /** Node: f+1 copies are durable. */
    record Stored(long attempt, EntryId id) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(3);
            out.writeLong(attempt);
            writeId(out, id);
        }
    }

    /**
     * Node: not stored; when {@code indeterminate}, copies may exist nevertheless. The reason is that of a {@code
     * RejectedException}, or else the name of the failure.
     */
    record Refused(long attempt, boolean indeterminate, String reason) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(4);
            out.writeLong(attempt);
            out.writeBoolean(indeterminate);
            out.writeUTF(reason);
        }
    }

    /**
     * Node: please take this entry.
     *
     * @param adoptedFrom empty if it was not adopted
     * @param possiblySent whether it may have been forwarded before
     * @param process id of the node's process
     * @param nanos when the handler was called, as {@link System#nanoTime} says
     */
    record Offered(
            long delivery,
            EntryId id,
            byte[] payload,
            String adoptedFrom,
            boolean possiblySent,
            long process,
            long nanos)
            implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(5);
            out.writeLong(delivery);
            writeId(out, id);
            writeBytes(out, payload);
            out.writeUTF(adoptedFrom);
            out.writeBoolean(possiblySent);
            out.writeLong(process);
            out.writeLong(nanos);
        }
    }

    /** Consumer: taken. */
    record Taken(long delivery) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(6);
            out.writeLong(delivery);
        }
    }

    /** Node: it adopted an entry. */
    record Adopted(EntryId id, String from) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(7);
            writeId(out, id);
            out.writeUTF(from);
        }
    }

    /** Node: it thinks otherwise about a peer, since {@code nanos} as {@link System#nanoTime} says. */
    record PeerSeen(String peer, String state, long nanos) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(8);
            out.writeUTF(peer);
            out.writeUTF(state);
            out.writeLong(nanos);
        }
    }

    /**
     * Node: how it is, several times a second.
     *
     * @param ready whether f+1 copies of a new entry could be made
     * @param peersActive peers it thinks are alive
     * @param held entries it has to forward
     * @param copies entries it keeps for others
     * @param deletesUntold entries whose end somebody has not confirmed
     * @param shortOfCopies entries it has to forward that may have too few copies
     */
    record Status(boolean ready, int peersActive, long held, long copies, long deletesUntold, long shortOfCopies)
            implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(9);
            out.writeBoolean(ready);
            out.writeInt(peersActive);
            out.writeLong(held);
            out.writeLong(copies);
            out.writeLong(deletesUntold);
            out.writeLong(shortOfCopies);
        }
    }

    /** Controller: close in order. */
    record Stop() implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(10);
        }
    }

    /** Controller: how old has this process grown? */
    record Measure() implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(11);
        }
    }

    /** Node: what it has used so far, as {@link AgeCurve} names it. */
    record Measured(String sample) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(12);
            out.writeUTF(sample);
        }
    }

    /** Controller: the disk hangs from now on, or goes on. */
    record Hang(boolean on) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(13);
            out.writeBoolean(on);
        }
    }

    /** Controller: the wall clock is so many milliseconds off from now on. */
    record ClockOff(long millis) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(14);
            out.writeLong(millis);
        }
    }

    /** Node: the machine had too little time for it, between two moments as {@link System#nanoTime} says. */
    record Starved(long fromNanos, long untilNanos) implements DemoMessage {
        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(15);
            out.writeLong(fromNanos);
            out.writeLong(untilNanos);
        }
    }

    /** Reads one message. */
    static DemoMessage read(DataInputStream in) throws IOException {
        int type = in.readByte();
        return switch (type) {
            case 1 -> new Hello(in.readUTF(), in.readUTF(), in.readLong());
            case 2 -> new Submit(in.readLong(), readBytes(in));
            case 3 -> new Stored(in.readLong(), readId(in));
            case 4 -> new Refused(in.readLong(), in.readBoolean(), in.readUTF());
            case 5 ->
                new Offered(
                        in.readLong(),
                        readId(in),
                        readBytes(in),
                        in.readUTF(),
                        in.readBoolean(),
                        in.readLong(),
                        in.readLong());
            case 6 -> new Taken(in.readLong());
            case 7 -> new Adopted(readId(in), in.readUTF());
            case 8 -> new PeerSeen(in.readUTF(), in.readUTF(), in.readLong());
            case 9 ->
                new Status(in.readBoolean(), in.readInt(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
            case 10 -> new Stop();
            case 11 -> new Measure();
            case 12 -> new Measured(in.readUTF());
            case 13 -> new Hang(in.readBoolean());
            case 14 -> new ClockOff(in.readLong());
            case 15 -> new Starved(in.readLong(), in.readLong());
            default -> throw new IOException("message type " + type + " is unknown");
        };
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        return in.readNBytes(in.readInt());
    }

    private static void writeId(DataOutputStream out, EntryId id) throws IOException {
        out.writeUTF(id.origin().value());
        out.writeLong(id.stream().boot());
        out.writeInt(id.stream().lane());
        out.writeLong(id.sequence());
    }

    private static EntryId readId(DataInputStream in) throws IOException {
        StreamId stream = new StreamId(NodeId.of(in.readUTF()), in.readLong(), in.readInt());
        return new EntryId(stream, in.readLong());
    }
}
