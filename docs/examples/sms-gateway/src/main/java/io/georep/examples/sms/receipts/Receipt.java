package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Alphabet;
import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.Tlv;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What became of one message. Travels between the sites as JSON.
 *
 * @param operatorId the operator's id of the message; empty for a receipt of the gateways' own
 * @param route where it goes; null as long as only the operator's id is known
 * @param intermediate whether the operator calls it an intermediate notification
 * @param state the state
 * @param sub messages submitted, as the operator wrote it
 * @param dlvrd messages delivered, as the operator wrote it
 * @param submitDate when the operator took the message, as it wrote it
 * @param doneDate when the message got into this state, as the operator wrote it
 * @param err the operator's error
 * @param text the begin of the message
 * @param networkError SMPP's network_error_code; empty for none
 */
public record Receipt(
        String operatorId,
        @Nullable Route route,
        boolean intermediate,
        MessageState state,
        String sub,
        String dlvrd,
        String submitDate,
        String doneDate,
        String err,
        String text,
        byte[] networkError) {
    /** SMPP's receipted_message_id. */
    public static final short RECEIPTED_MESSAGE_ID = 0x001e;

    /** SMPP's message_state. */
    public static final short MESSAGE_STATE = 0x0427;

    /** SMPP's network_error_code. */
    public static final short NETWORK_ERROR_CODE = 0x0423;

    /** Whether the client may have got this receipt before; from the range SMPP leaves to vendors. */
    public static final short POSSIBLY_REPEATED = 0x1401;

    /** The part of esm_class that says what a deliver_sm is. */
    private static final int TYPE = 0x3c;

    private static final int RECEIPT = 0x04;
    private static final int INTERMEDIATE = 0x20;
    private static final int NETWORK_ERROR_BYTES = 3;
    private static final int TEXT_MAX = 20;
    private static final int FIELD_MAX = 14;
    private static final int WORDS_MAX = 1000;
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyMMddHHmm", Locale.ROOT);
    private static final Pattern FIELD = Pattern.compile(
            "(id|sub|dlvrd|submit date|done date|stat|err|text): *(.*?)(?= +(?:sub|dlvrd|submit date|done date|stat|err|text):|$)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** An older version, which may run at another site, may leave something out. */
    public Receipt {
        networkError = Objects.requireNonNullElse(networkError, new byte[0]);
    }

    /**
     * Reads a deliver_sm of the operator.
     *
     * @return null when it is no receipt, or has no id or no state
     */
    public static @Nullable Receipt of(Sms deliver) {
        int type = deliver.esmClass() & TYPE;
        byte[] idBytes = tlv(deliver, RECEIPTED_MESSAGE_ID);
        if (type != RECEIPT && type != INTERMEDIATE && !(type == 0 && idBytes != null)) {
            return null;
        }
        Map<String, String> fields = fields(deliver.text());
        byte[] stateByte = tlv(deliver, MESSAGE_STATE);
        MessageState state = stateByte == null || stateByte.length != 1 ? null : MessageState.of(stateByte[0]);
        if (state == null) {
            state = MessageState.of(fields.getOrDefault("stat", ""));
        }
        String id = idBytes == null ? fields.getOrDefault("id", "") : new String(idBytes, StandardCharsets.ISO_8859_1);
        // As much of it as is kept of the answer to the submit.
        id = bounded(id.replace("\0", "").strip(), MessageId.LENGTH_MAX);
        if (id.isEmpty() || state == null) {
            return null;
        }
        byte[] networkError = tlv(deliver, NETWORK_ERROR_CODE);
        return new Receipt(
                id,
                null,
                type == INTERMEDIATE || !state.last(),
                state,
                field(fields, "sub", "001"),
                field(fields, "dlvrd", "000"),
                field(fields, "submit date", ""),
                field(fields, "done date", ""),
                field(fields, "err", "000"),
                field(fields, "text", ""),
                networkError == null || networkError.length != NETWORK_ERROR_BYTES ? new byte[0] : networkError);
    }

    /**
     * The id of a message at an operator: different operators may use the same ids, and none may tell of messages of others.
     *
     * @param operator empty for the first one, whose ids stay as they are unless they look like those of another
     */
    public static String idOf(String operator, String messageId) {
        return operator.isEmpty() && messageId.indexOf('/') < 0 ? messageId : operator + "/" + messageId;
    }

    /** This receipt, as one of an operator. */
    Receipt from(String operator) {
        return new Receipt(
                idOf(operator, operatorId),
                route,
                intermediate,
                state,
                sub,
                dlvrd,
                submitDate,
                doneDate,
                err,
                text,
                networkError);
    }

    /** Returns whether nothing else follows: what the operator calls intermediate is so in whatever state. */
    boolean last() {
        return !intermediate && state.last();
    }

    /** Returns whether the sender of the message wants it. */
    boolean isWantedBy(Route of) {
        return last() ? of.wants(state) : of.wantsIntermediate();
    }

    /** A receipt of the gateways' own, for a message that the operator did not get. */
    public static Receipt own(Route route, MessageState state, Instant now) {
        return new Receipt(
                "",
                route,
                false,
                state,
                "001",
                "000",
                date(Instant.ofEpochMilli(route.submittedMillis())),
                date(now),
                "000",
                "",
                new byte[0]);
    }

    private static String date(Instant instant) {
        return DATE.format(instant.atOffset(ZoneOffset.UTC));
    }

    private static byte @Nullable [] tlv(Sms sms, short tag) {
        return sms.tlvs().stream()
                .filter(each -> each.tag() == tag)
                .map(Tlv::value)
                .findFirst()
                .orElse(null);
    }

    /** The deliver_sm for the client: the client's id in place of the operator's, and everything else as it came. */
    public Sms toDeliver(Route to, boolean possiblyRepeated) {
        String words = String.format(
                "id:%s sub:%s dlvrd:%s submit date:%s done date:%s stat:%s err:%s text:%s",
                to.id(), sub, dlvrd, submitDate, doneDate, state.word(), err, text);
        List<Tlv> tlvs = new ArrayList<>();
        tlvs.add(new Tlv(RECEIPTED_MESSAGE_ID, (to.id() + "\0").getBytes(StandardCharsets.ISO_8859_1)));
        tlvs.add(new Tlv(MESSAGE_STATE, new byte[] {state.code()}));
        if (networkError.length > 0) {
            tlvs.add(new Tlv(NETWORK_ERROR_CODE, networkError));
        }
        if (possiblyRepeated) {
            tlvs.add(new Tlv(POSSIBLY_REPEATED, new byte[] {1}));
        }
        return new Sms(
                to.to(),
                to.from(),
                words.getBytes(StandardCharsets.ISO_8859_1),
                Alphabet.DEFAULT.dataCoding(),
                (byte) (intermediate ? INTERMEDIATE : RECEIPT),
                (byte) 0,
                (byte) 0,
                (byte) 0,
                "",
                "",
                "",
                tlvs);
    }

    /** Returns the fields of the text. The message itself comes last: what looks like a field in it replaces none. */
    private static Map<String, String> fields(String words) {
        Map<String, String> fields = new HashMap<>();
        Matcher matcher = FIELD.matcher(bounded(words, WORDS_MAX));
        while (matcher.find()) {
            fields.putIfAbsent(
                    matcher.group(1).toLowerCase(Locale.ROOT), matcher.group(2).strip());
        }
        return fields;
    }

    /** Returns a field, or what receipts usually have there. */
    private static String field(Map<String, String> fields, String name, String usual) {
        return bounded(fields.getOrDefault(name, usual), name.equals("text") ? TEXT_MAX : FIELD_MAX);
    }

    private static String bounded(String value, int max) {
        return value.length() <= max ? value : value.substring(0, max);
    }
}
