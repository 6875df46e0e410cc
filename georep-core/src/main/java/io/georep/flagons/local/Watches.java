package io.georep.flagons.local;

import io.georep.codec.MalformedException;
import io.georep.concurrent.Registrations;
import io.georep.concurrent.Registrations.Registered;
import io.georep.flagons.core.Event;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetOperation;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.flagons.core.Page;
import io.georep.flagons.core.RequestId;
import io.georep.logging.SafeLog;
import io.georep.model.Registration;
import io.georep.model.Slice;
import io.georep.protocol.local.NodeHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of a node. All changes in the order pass by at every node, so most are told without asking anybody. What
 * only the members of a group can say is read: whether a claim was applied, and what a key has after a change that came
 * too late or was repeated. Keys are also read now and then, for what was missed.
 */
final class Watches implements Predicate<Event> {
    private static final Logger LOG = LoggerFactory.getLogger(Watches.class);

    private static final int WAITING_MAX = 10_000;
    private static final int REQUESTS_MAX = 10_000;
    private static final int READS_MAX = 32;
    private static final int LISTS_MAX = 16;
    private static final long SECOND = 1_000_000_000L;

    /** A node that again and again may miss changes asks all groups for a prefix anew no more often than that. */
    private static final long LIST_EVERY = 10 * SECOND;

    private record Read(Registered<Watch> watch, Watch.Key key) {}

    private final NodeHandle<FleetCommand> node;
    private final BiFunction<Slice, OrderKey, CompletionStage<Outcome>> reader;
    private final Function<Slice, CompletionStage<Outcome>> lister;

    /** Those of single keys by key; those of prefixes by prefix. */
    private final Registrations<Slice, Watch> exact = new Registrations<>(count -> {});

    private final Registrations<Slice, Watch> prefixes = new Registrations<>(count -> {});

    /** Changes on their way from the driver. */
    private final AtomicInteger waiting = new AtomicInteger();

    private volatile boolean isLost;

    /** Of the application thread, like all below. Where requests were seen first. */
    private final Map<RequestId, OrderKey> requests = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RequestId, OrderKey> eldest) {
            return size() > REQUESTS_MAX;
        }
    };

    private final ArrayDeque<Read> due = new ArrayDeque<>();
    private final List<Read> unsure = new ArrayList<>();
    private final ArrayDeque<Listing.Part> toList = new ArrayDeque<>();
    private final List<Listing.Part> notListed = new ArrayList<>();
    private int reads;
    private int lists;
    private boolean isReadingOn;
    private boolean isListingOn;
    private boolean hearsAll;
    private long nextAt = Long.MIN_VALUE;

    /**
     * Creates it.
     *
     * @param reader reads a key behind a place
     * @param lister asks a {@link Page#question}
     */
    Watches(
            NodeHandle<FleetCommand> node,
            BiFunction<Slice, OrderKey, CompletionStage<Outcome>> reader,
            Function<Slice, CompletionStage<Outcome>> lister) {
        this.node = node;
        this.reader = reader;
        this.lister = lister;
    }

    /** Adds a listener. Any thread. */
    Registration add(Slice prefix, boolean isExact, Watch.Listener listener) {
        Registered<Watch> added = (isExact ? exact : prefixes).add(prefix, new Watch(prefix, listener));
        node.execute(() -> {
            if (isExact) {
                read(added, added.listener().key(prefix, node.nanos()), false);
            } else {
                list(added, new Listing(added, node.nanos(), false));
            }
        });
        return added;
    }

    private void list(Registered<Watch> watch, Listing listing) {
        watch.listener().listing = listing;
        for (int i = 0; i < Listing.PARTS; i++) {
            toList.add(listing.part(i));
        }
        listOn();
    }

    /**
     * Says whether this node hears of all that happens from now on. Before that, changes have passed by that were in no page yet, so all is
     * listed anew when it does, or soon; until then nobody is told that all was listed.
     */
    void hears(boolean all) {
        hearsAll = all;
        for (List<Registered<Watch>> those : prefixes.all()) {
            for (Registered<Watch> each : List.copyOf(those)) {
                Listing listing = each.listener().listing;
                if (all && listing != null) {
                    listing.isOutdated = true;
                    listAnew(each, node.nanos());
                } else if (!all && Boolean.TRUE.equals(each.listener().listed)) {
                    tellListed(each, false);
                }
            }
        }
    }

    private void listAnew(Registered<Watch> watch, long now) {
        Listing listing = watch.listener().listing;
        if (hearsAll
                && listing != null
                && listing.isOutdated
                && (!listing.isAnew || now - listing.begunAt >= LIST_EVERY)) {
            list(watch, new Listing(watch, now, true));
        }
    }

    private void tellListed(Registered<Watch> watch, boolean hasAll) {
        Listing listing = watch.listener().listing;
        boolean all = hasAll && listing != null && !listing.isOutdated;
        if (!Boolean.valueOf(all).equals(watch.listener().listed)) {
            watch.listener().listed = all;
            watch.call(each -> each.listener.listed(all), this::failed);
        }
    }

    private List<Registered<Watch>> of(Slice key) {
        List<Registered<Watch>> found = new ArrayList<>(exact.of(key));
        prefixes.all()
                .forEach(those -> those.forEach(each -> {
                    if (Page.begins(key, each.listener().prefix)) {
                        found.add(each);
                    }
                }));
        return found;
    }

    /** Returns whether a change is to be told; it is passed on then. Driver. */
    @Override
    public boolean test(Event event) {
        if ((exact.isEmpty() && prefixes.isEmpty())
                || of(event.operation().key()).isEmpty()) {
            return false;
        }
        if (waiting.get() >= WAITING_MAX) {
            isLost = true;
            return false;
        }
        waiting.incrementAndGet();
        return true;
    }

    /** Takes a change. Members of its group take it twice: at its turn, and as what they keep. */
    void passed(Event event) {
        waiting.decrementAndGet();
        FleetOperation operation = event.operation();
        OrderKey first = requests.putIfAbsent(operation.request(), event.key());
        if (event.key().equals(first)) {
            return;
        }
        long now = node.nanos();
        for (Registered<Watch> each : of(operation.key())) {
            Watch.Key key = each.listener().key(operation.key(), now);
            boolean isNext = first == null && event.key().compareTo(key.version) > 0;
            boolean isRead = event.key().compareTo(key.readTo) <= 0;
            if (isNext && operation.kind() != FleetOperation.Kind.PUT_IF_ABSENT) {
                tell(each, key, operation.value(), event.key(), false);
            } else if (!event.key().equals(key.version)) {
                read(each, key, first == null && !isNext && !isRead);
            }
        }
    }

    private void read(Registered<Watch> watch, Watch.Key key, boolean corrected) {
        key.corrected |= corrected;
        if (key.isRead) {
            key.again = true;
            return;
        }
        key.isRead = true;
        due.add(new Read(watch, key));
        readOn();
    }

    private void readOn() {
        if (isReadingOn) {
            return; // a read that fails at once does so within this loop
        }
        isReadingOn = true;
        while (reads < READS_MAX && !due.isEmpty()) {
            Read next = due.remove();
            if (next.watch.isOn()) {
                reads++;
                reader.apply(next.key.bytes, next.key.version).whenComplete((outcome, error) -> {
                    reads--;
                    found(next, outcome);
                    readOn();
                });
            }
        }
        isReadingOn = false;
    }

    private void found(Read read, @Nullable Outcome outcome) {
        Watch.Key key = read.key;
        key.isRead = false;
        if (outcome == null || outcome.status() != Outcome.Status.FOUND) {
            unsure.add(read);
            return;
        }
        has(read.watch, key, outcome.value(), outcome.version(), outcome.place());
        if (key.again) {
            key.again = false;
            read(read.watch, key, false);
        }
        Listing listing = read.watch.listener().listing;
        if (listing != null && listing.isDoneWith(key)) {
            tellListed(read.watch, hearsAll);
        }
    }

    /** A member says what a key has, with all changes up to a place that it had heard of. */
    private void has(Registered<Watch> watch, Watch.Key key, @Nullable Slice value, OrderKey version, OrderKey readTo) {
        key.readTo = readTo;
        boolean isOther = !version.equals(key.version);
        // What was told meanwhile may be newer than what was read.
        boolean isOlder = readTo.compareTo(key.version) < 0;
        if (!key.isTold || key.corrected || (isOther && !isOlder)) {
            boolean corrected = key.isTold && (key.corrected || version.compareTo(key.version) < 0);
            key.corrected = false;
            tell(watch, key, value, version, corrected);
        }
    }

    private void listOn() {
        if (isListingOn) {
            return;
        }
        isListingOn = true;
        while (lists < LISTS_MAX && !toList.isEmpty()) {
            Listing.Part part = toList.remove();
            if (part.of().isOn()) {
                lists++;
                lister.apply(part.question()).whenComplete((outcome, error) -> {
                    lists--;
                    listed(part, outcome);
                    listOn();
                });
            }
        }
        isListingOn = false;
    }

    private void listed(Listing.Part part, @Nullable Outcome outcome) {
        Listing listing = part.of();
        if (!listing.isOn()) {
            return;
        }
        Page page = page(outcome);
        if (page == null || outcome == null || !part.isAnswer(page)) {
            notListed.add(part);
            tellListed(listing.watch, false);
            return;
        }
        Watch watch = listing.watch.listener();
        for (Page.Entry entry : page.entries()) {
            if (Page.begins(entry.key(), watch.prefix)) {
                Watch.Key key = watch.key(entry.key(), node.nanos());
                has(listing.watch, key, entry.value(), entry.version(), OrderKey.max(outcome.place(), entry.version()));
            }
        }
        if (!page.isLast()) {
            toList.addFirst(part.from(page));
        } else if (listing.isDoneWithOne()) {
            // Keys that were told before and are in no page were removed, perhaps when this node did not hear of it.
            List<Watch.Key> unheard = watch.unheard(listing.begunAt);
            listing.reads(unheard);
            unheard.forEach(key -> read(listing.watch, watch.key(key.bytes, node.nanos()), false));
            if (unheard.isEmpty()) {
                tellListed(listing.watch, hearsAll);
            }
        }
    }

    /** Returns the page of an answer; null if nobody has answered, or what came is none. */
    private static @Nullable Page page(@Nullable Outcome outcome) {
        Slice bytes = outcome == null ? null : outcome.value();
        try {
            return bytes == null ? null : Page.read(bytes);
        } catch (MalformedException e) {
            return null;
        }
    }

    private void tell(
            Registered<Watch> watch, Watch.Key key, @Nullable Slice value, OrderKey version, boolean corrected) {
        key.isTold = true;
        key.isGone = value == null;
        key.version = version;
        watch.call(each -> each.listener.changed(key.bytes, value, version, corrected), this::failed);
    }

    private void failed(Throwable cause) {
        SafeLog.log(LOG, "Node {}: a listener of a fleet map failed", node.nodeName(), cause);
    }

    /** Reads what was not heard of for long. */
    void time(long now) {
        if (nextAt != Long.MIN_VALUE && now - nextAt < 0) {
            return;
        }
        nextAt = now + SECOND;
        boolean wasLost = isLost;
        isLost = false;
        List<Read> again = List.copyOf(unsure);
        unsure.clear();
        again.forEach(each -> read(each.watch, each.key, false));
        toList.addAll(notListed);
        notListed.clear();
        listOn();
        for (Registrations<Slice, Watch> all : List.of(exact, prefixes)) {
            all.all()
                    .forEach(those -> those.forEach(each -> {
                        if (wasLost) {
                            each.call(watch -> watch.listener.missed(), this::failed);
                        }
                        listAnew(each, now);
                        Watch.Key stale = each.listener().stale(now);
                        if (stale != null) {
                            read(each, stale, false);
                        }
                    }));
        }
    }

    long nextDeadlineNanos() {
        return exact.isEmpty() && prefixes.isEmpty() ? Long.MAX_VALUE : nextAt;
    }

    /** No listener is called any more. */
    void close() {
        exact.clear();
        prefixes.clear();
    }
}
