package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Sms;
import io.georep.outbox.Delivery;
import io.georep.outbox.SendOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the receipts of one message go. Travels between the sites as JSON.
 *
 * @param account who sent the message
 * @param door where it came in: {@link #HTTP} or {@link #SMPP}
 * @param id id of the message, as its sender knows it
 * @param from who sent it
 * @param to who got it
 * @param registeredDelivery which receipts its sender wants, as SMPP has it
 * @param submittedMillis when it was taken, in milliseconds since 1970
 * @param untilMillis how long receipts are waited for, likewise
 */
public record Route(
        String account,
        String door,
        String id,
        Address from,
        Address to,
        byte registeredDelivery,
        long submittedMillis,
        long untilMillis) {
    /** Messages that were posted: receipts are posted, too. */
    public static final String HTTP = "http";

    /** Messages that were submitted: receipts go to a session. */
    public static final String SMPP = "smpp";

    /** Header of the entry of each message: who sent it. */
    public static final String ACCOUNT_HEADER = "account";

    private static final String DOOR_HEADER = "door";

    private static final int LAST_STATE = 0x03;
    private static final int LAST_STATE_ON_SUCCESS_OR_FAILURE = 0x01;
    private static final int LAST_STATE_ON_FAILURE = 0x02;
    private static final int INTERMEDIATE = 0x10;

    /** Returns whether a message asks for any receipt. */
    public static boolean wanted(Sms sms) {
        return (sms.registeredDelivery() & (LAST_STATE | INTERMEDIATE)) != 0;
    }

    /** Gives the entry of a message what {@link #of} reads. */
    public static SendOptions mark(SendOptions options, String account, String door) {
        return options.header(ACCOUNT_HEADER, account).header(DOOR_HEADER, door);
    }

    /**
     * Where the receipts of a message go; null when it asks for none.
     *
     * @param await how long to wait for receipts after now, the validity of the message and the time it is scheduled for,
     *     whichever is last
     * @param now when the message is forwarded; it may have waited for days
     */
    public static @Nullable Route of(Delivery<Sms> delivery, Duration await, Instant now) {
        Sms sms = delivery.payload();
        Map<String, String> headers = delivery.headers();
        String account = headers.get(ACCOUNT_HEADER);
        String door = headers.get(DOOR_HEADER);
        if (!wanted(sms) || account == null || door == null) {
            return null;
        }
        Instant from = later(later(now, sms.expiry()), sms.schedule());
        return new Route(
                account,
                door,
                door.equals(HTTP) ? delivery.id().toString() : MessageId.of(delivery.id()),
                sms.from(),
                sms.to(),
                sms.registeredDelivery(),
                delivery.enqueuedAt().toEpochMilli(),
                from.plus(await).toEpochMilli());
    }

    private static Instant later(Instant one, @Nullable Instant other) {
        return other == null || other.isBefore(one) ? one : other;
    }

    /** Returns whether the sender wants to hear of what is not the last. */
    boolean wantsIntermediate() {
        return (registeredDelivery & INTERMEDIATE) != 0;
    }

    /** Returns whether the sender wants to hear of this state. */
    public boolean wants(MessageState state) {
        if (!state.last()) {
            return wantsIntermediate();
        }
        return switch (registeredDelivery & LAST_STATE) {
            case 0 -> false;
            case LAST_STATE_ON_SUCCESS_OR_FAILURE -> true;
            case LAST_STATE_ON_FAILURE -> state != MessageState.DELIVERED;
            default -> state == MessageState.DELIVERED;
        };
    }
}
