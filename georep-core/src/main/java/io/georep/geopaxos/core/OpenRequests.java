package io.georep.geopaxos.core;

import io.georep.geopaxos.core.execution.ExecutedTable;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Slice;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The requests of this node that wait for their answers. It also decides which requests are not taken at all. */
final class OpenRequests {
    /** The most requests that may wait for their answers. */
    static final int OPEN_MAX = 100_000;

    /** The most bytes of their operations. */
    static final int OPEN_BYTES_MAX = 256 << 20;

    /** Calls of other nodes get one part in so many of both bounds, so that they do not keep out requests of this node. */
    private static final int GUESTS_SHARE = 2;

    private final TreeMap<Long, GeoCommand> open = new TreeMap<>();
    private long openBytes;
    private int guests;
    private long guestBytes;
    private long numbers;

    /** Takes a request; returns its number. */
    long add(GeoCommand command) {
        open.put(++numbers, command);
        count(command, 1);
        return numbers;
    }

    private void count(GeoCommand command, int by) {
        long bytes = (long) by * bytes(command);
        openBytes += bytes;
        if (GuestCalls.isGuest(command)) {
            guests += by;
            guestBytes += bytes;
        }
    }

    int size() {
        return open.size();
    }

    /** Calls the action for all requests that are open now. The action may end some of them. */
    void forEach(BiConsumer<Long, GeoCommand> action) {
        new TreeMap<>(open).forEach(action);
    }

    /** Called when a request has its answer. */
    @Nullable
    GeoCommand ends(long number) {
        GeoCommand asked = open.remove(number);
        if (asked != null) {
            count(asked, -1);
        }
        BrokenInvariantException.require(
                openBytes >= 0 && (openBytes == 0 || !open.isEmpty()), "bytes are those of open requests", "requests");
        return asked;
    }

    /** This node is left behind, and hears nothing of what it has asked. */
    void leave(GeoOutlet outlet) {
        forEach((number, asked) -> leave(number, asked, outlet));
    }

    /** A write without a number, or of this node, may have taken effect, or may still. What others have asked for they ask elsewhere. */
    private static void leave(long number, GeoCommand asked, GeoOutlet outlet) {
        if (asked instanceof GeoCommand.Submit submit && (submit.sequence() == 0 || !GuestCalls.isGuest(asked))) {
            outlet.answered(number, null);
        } else {
            outlet.refused(number, Reason.LEFT_BEHIND);
        }
    }

    /** This node takes part no more: others make its calls, also these. */
    void askOthers(RemoteCalls remote, GeoOutlet outlet, long now) {
        forEach((number, asked) -> {
            boolean isUnnumbered = asked instanceof GeoCommand.Submit submit && submit.sequence() == 0;
            if (GuestCalls.isGuest(asked) || isUnnumbered) {
                leave(number, asked, outlet);
            } else if (asked instanceof GeoCommand.Give) {
                outlet.refused(number, Reason.NO_PART);
            } else if (asked instanceof GeoCommand.Submit || asked instanceof GeoCommand.Read) {
                remote.askAgain(number, asked, now);
            }
        });
    }

    private static int bytes(GeoCommand command) {
        return command instanceof GeoCommand.Submit submit
                ? submit.operation().length()
                : command instanceof GeoCommand.Read read ? read.operation().length() : 0;
    }

    /** Returns why a request is not taken; null if it is. */
    GeoEvent.@Nullable Refused refusal(GeoCommand command, Executor executor) {
        if (open.size() >= OPEN_MAX || openBytes >= OPEN_BYTES_MAX) {
            return refused(command, Reason.OPEN, open.size() + " requests of " + openBytes + " bytes are not answered");
        }
        boolean isFullOfGuests = guests >= OPEN_MAX / GUESTS_SHARE || guestBytes >= OPEN_BYTES_MAX / GUESTS_SHARE;
        if (GuestCalls.isGuest(command) && isFullOfGuests) {
            return refused(
                    command,
                    Reason.OPEN,
                    guests + " calls of other nodes, of " + guestBytes + " bytes, are not answered");
        }
        if (command instanceof GeoCommand.Submit submit) {
            boolean isNumbered = submit.sequence() > 0
                    && submit.sequence() <= Operation.NUMBER_MAX
                    && submit.acked() >= 0
                    && submit.acked() < submit.sequence();
            boolean isNeverRepeated = submit.client() == 0 && submit.sequence() == 0 && submit.acked() == 0;
            return isNumbered || isNeverRepeated
                    ? refusal(submit, submit.operation(), executor.service())
                    : refused(submit, Reason.INVALID, "number " + submit.sequence() + " after " + submit.acked());
        } else if (command instanceof GeoCommand.Read read) {
            return refusal(read, read.operation(), executor.service());
        } else if (command instanceof GeoCommand.Give give) {
            int all = GeoGroups.all(executor.count());
            if (give.from() <= 0 || give.to() <= 0 || give.from() > all || give.to() > all) {
                String why = "from the groups " + give.from() + " to " + give.to() + ", all are " + all;
                return refused(give, Reason.GROUPS, why);
            }
            return manyKeys(give, give.objects().length);
        }
        return null;
    }

    private GeoEvent.@Nullable Refused refusal(GeoCommand command, Slice operation, Service service) {
        if (operation.length() > Operation.BODY_BYTES_MAX) {
            String why = "an operation of " + operation.length() + " bytes, at most " + Operation.BODY_BYTES_MAX;
            return refused(command, Reason.BYTES, why);
        }
        String why = service.refusal(operation);
        return why != null
                ? refused(command, Reason.INVALID, why)
                : manyKeys(command, service.footprint(operation).size());
    }

    /** Returns why there is no room for a request; null if there is, and for one that was executed before: that gets its result. */
    static GeoEvent.@Nullable Refused full(GeoCommand command, Executor executor) {
        if (!(command instanceof GeoCommand.Submit submit)) {
            return null;
        }
        ExecutedTable table = executor.table();
        int kept =
                submit.sequence() == 0 ? 0 : table.unacknowledged(submit.client(), submit.acked(), submit.sequence());
        String why = kept == 0
                ? executor.service().noRoom(submit.operation())
                : "client " + submit.client() + " has not acknowledged " + kept
                        + " results, which all nodes keep for it:" + " acknowledge what it does not repeat any more";
        return why == null || table.isKnown(submit.client(), submit.sequence())
                ? null
                : refused(submit, Reason.FULL, why);
    }

    private static GeoEvent.@Nullable Refused manyKeys(GeoCommand command, int keys) {
        return keys > Operation.KEYS_MAX
                ? refused(command, Reason.KEYS, keys + " keys or objects, at most " + Operation.KEYS_MAX)
                : null;
    }

    static GeoEvent.Refused refused(GeoCommand command, Reason reason, String why) {
        return new GeoEvent.Refused(command.token(), reason, why);
    }
}
