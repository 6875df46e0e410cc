package io.georep.bench.maps;

import io.georep.geopaxos.OperationNumber;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link BankClient} asks a {@link BankNode}, as one line. The answer is a line as well: {@code ok applied seen}, {@code none
 * reason} if it had no effect, {@code unknown reason} if it may have one.
 *
 * @param number null for what is not repeated
 */
record BankCall(
        Way way,
        String key,
        @Nullable String value,
        @Nullable String expected,
        @Nullable OperationNumber number) {
    private static final String NULL = "-";

    /** How it is done. */
    enum Way {
        GET(Kind.READ),
        PAGE(Kind.READ),
        AUDIT(Kind.READ),
        COUNT(Kind.READ),
        LEADER(Kind.READ),
        GROUPS(Kind.READ),
        REPLACE_NODE(Kind.READ),
        PUT(Kind.PUT),
        REMOVE(Kind.REMOVE),
        PUT_IF_ABSENT(Kind.PUT_IF_ABSENT),
        REPLACE(Kind.REPLACE),
        TRANSFER(Kind.TRANSFER);

        private final Kind kind;

        Way(Kind kind) {
            this.kind = kind;
        }

        Kind kind() {
            return kind;
        }
    }

    static String text(@Nullable String value) {
        return Objects.requireNonNullElse(value, NULL);
    }

    static @Nullable String value(String text) {
        return text.equals(NULL) ? null : text;
    }

    String line() {
        String what = way + " " + key + " " + text(value) + " " + text(expected);
        return number == null
                ? what
                : what + " " + number.client() + " " + number.number() + " " + number.acknowledged();
    }

    static BankCall read(String line) {
        String[] part = line.split(" ");
        OperationNumber number = part.length == 4
                ? null
                : new OperationNumber(Long.parseLong(part[4]), Long.parseLong(part[5]), Long.parseLong(part[6]));
        return new BankCall(Way.valueOf(part[0]), part[1], value(part[2]), value(part[3]), number);
    }
}
