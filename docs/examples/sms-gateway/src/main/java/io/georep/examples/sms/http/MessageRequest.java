package io.georep.examples.sms.http;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What {@code POST /messages} takes.
 *
 * @param from number or name of the sender
 * @param to number of the receiver
 * @param text what to say
 * @param receipt whether the operator is asked for a delivery receipt
 */
record MessageRequest(
        @Nullable String from,
        @Nullable String to,
        @Nullable String text,
        @Nullable Boolean receipt) {

    /**
     * The message.
     *
     * @throws InvalidMessageException when something is missing or wrong
     */
    Sms toSms() {
        Address receiver = address("to", to);
        if (receiver.isName()) {
            throw new InvalidMessageException("to is '" + to + "': only a telephone number can get messages");
        }
        if (text == null || text.isEmpty()) {
            throw new InvalidMessageException("text is missing");
        }
        if (!StandardCharsets.UTF_16BE.newEncoder().canEncode(text)) {
            throw new InvalidMessageException("text has half of a character that is written as two");
        }
        return Sms.text(address("from", from), receiver, text, Boolean.TRUE.equals(receipt));
    }

    private static Address address(String field, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidMessageException(field + " is missing");
        }
        try {
            return Address.parse(value.strip());
        } catch (IllegalArgumentException e) {
            throw new InvalidMessageException(field + " is wrong: " + e.getMessage());
        }
    }
}
