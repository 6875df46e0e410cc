package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.FrameHeader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts into words what a turn was given, for people who look for a fault. Says nothing about payloads. */
final class TurnText {
    /** Most inputs that are told of one turn. */
    private static final int INPUTS_MAX = 50;

    private TurnText() {}

    /** Returns the fault, with what to do about it and the turn it happened in. */
    static BrokenInvariantException during(
            List<? extends Input> inputs, long now, FrameIntake intake, BrokenInvariantException fault) {
        StringBuilder text = new StringBuilder(String.valueOf(fault.getMessage()))
                .append(
                        "; this is a fault of GeoRep or of this machine, and the node stops here: keep its data directory,"
                                + " report this message with the directory, and check memory and disk before the next start."
                                + " The turn at ")
                .append(now)
                .append(" ns had ")
                .append(inputs.size())
                .append(" inputs:");
        for (Input input : inputs.subList(0, Math.min(inputs.size(), INPUTS_MAX))) {
            text.append(System.lineSeparator()).append("  ").append(quietly(input, intake));
        }
        return new BrokenInvariantException(text.toString(), fault);
    }

    /** The state is broken, so that the words may be as well. */
    private static String quietly(Input input, FrameIntake intake) {
        try {
            return of(input, intake);
        } catch (RuntimeException e) {
            return input.getClass().getSimpleName() + " that cannot be told: " + e;
        }
    }

    private static String of(Input input, FrameIntake intake) {
        if (input instanceof Input.Frame frame) {
            return frame(frame, intake);
        }
        if (input instanceof Input.Command command) {
            HostedProtocol<?> protocol = intake.hosted(command.channel());
            return "command " + (protocol == null ? "" : protocol.describe(command.command()));
        }
        if (input instanceof Input.Scanned scanned) {
            return "scanned " + scanned.pairs().size() + " pairs";
        }
        if (input instanceof Input.StrangerFrame frame) {
            return "frame of " + frame.bytes().length + " bytes on channel " + frame.channel() + " from stranger "
                    + frame.from().id();
        }
        return input.toString();
    }

    private static String frame(Input.Frame frame, FrameIntake intake) {
        StringBuilder text =
                new StringBuilder("frame from ").append(frame.from().id());
        try {
            messages(new BinReader(Slice.of(frame.bytes())), intake, text);
        } catch (MalformedException e) {
            text.append(", malformed");
        }
        return text.toString();
    }

    private static void messages(BinReader in, FrameIntake intake, StringBuilder text) {
        FrameHeader.read(in);
        while (in.hasMore()) {
            int channel = in.u8();
            int type = in.u8();
            BinReader body = new BinReader(in.bytes());
            HostedProtocol<?> protocol = intake.hosted(channel);
            boolean known = protocol != null && protocol.knows(type);
            text.append(System.lineSeparator())
                    .append("    channel ")
                    .append(channel)
                    .append(": ");
            text.append(known ? words(protocol, type, body) : "type " + type);
        }
    }

    private static String words(@Nullable HostedProtocol<?> protocol, int type, BinReader body) {
        return protocol == null ? "" : protocol.describe(type, body);
    }
}
