package io.georep.examples.sms;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times as SMPP writes them: absolute, {@code YYMMDDhhmmsstnnp} with tenths and the distance from UTC in quarters of an hour,
 * or relative, {@code YYMMDDhhmmss000R}.
 */
public final class SmppTime {
    /** Length of either form. */
    public static final int LENGTH = 16;

    private static final Pattern FORM =
            Pattern.compile("([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9])([0-9]{2})([-+R])");
    private static final int CENTURY = 2000;
    private static final Instant FIRST = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("2099-12-31T23:59:59Z");
    private static final int TENTH_NANOS = 100_000_000;
    private static final int QUARTER_SECONDS = 15 * 60;

    private SmppTime() {}

    /** Returns whether this is a time. */
    public static boolean valid(String text) {
        try {
            instant(text, Instant.EPOCH);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /**
     * The point in time; a relative one counts from now.
     *
     * @throws DateTimeException when it is none
     */
    public static Instant instant(String text, Instant now) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new DateTimeException("not a time of SMPP");
        }
        int[] parts = new int[8];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = Integer.parseInt(form.group(i + 1));
        }
        if (form.group(9).equals("R")) {
            return now.atOffset(ZoneOffset.UTC)
                    .plus(Period.of(parts[0], parts[1], parts[2]))
                    .plus(Duration.ofHours(parts[3]).plusMinutes(parts[4]).plusSeconds(parts[5]))
                    .toInstant();
        }
        int offset = parts[7] * QUARTER_SECONDS * (form.group(9).equals("-") ? -1 : 1);
        return LocalDateTime.of(
                        CENTURY + parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6] * TENTH_NANOS)
                .toInstant(ZoneOffset.ofTotalSeconds(offset));
    }

    /** The absolute form, in UTC; within this century, which it cannot tell from another one. */
    public static String absolute(Instant instant) {
        Instant told = instant.isAfter(LAST) ? LAST : instant.isBefore(FIRST) ? FIRST : instant;
        OffsetDateTime time = told.atOffset(ZoneOffset.UTC);
        return String.format(
                "%02d%02d%02d%02d%02d%02d%d00+",
                time.getYear() - CENTURY,
                time.getMonthValue(),
                time.getDayOfMonth(),
                time.getHour(),
                time.getMinute(),
                time.getSecond(),
                time.getNano() / TENTH_NANOS);
    }
}
