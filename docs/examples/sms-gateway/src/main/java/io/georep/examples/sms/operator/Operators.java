package io.georep.examples.sms.operator;

import io.georep.examples.sms.AdoptionGate;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.receipts.ReceiptIntake;
import io.georep.model.EntryId;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/** The links to all operators: that of {@code sms.operator}, and those of {@code sms.operators}. Thread-safe. */
@Component
public class Operators implements SmartLifecycle {
    /** Name of the operator that messages without a route go to, {@code sms.operator}. */
    public static final String FIRST = "operator";

    private final OperatorLink first;
    private final Map<String, OperatorLink> others = new TreeMap<>();

    Operators(
            OperatorLink first,
            SmsProperties properties,
            AdoptionGate adoption,
            ReceiptIntake receipts,
            MeterRegistry meters) {
        this.first = first;
        properties
                .operators()
                .forEach((name, operator) -> others.put(
                        name,
                        new OperatorLink(
                                name,
                                operator,
                                share(properties),
                                adoption,
                                deliver -> receipts.take(deliver, name),
                                meters,
                                System::nanoTime)));
    }

    /**
     * How many calls of the forwarder one operator may hold while it is slow or away, so that the others get some. A single
     * operator may hold all of them.
     */
    static int share(SmsProperties properties) {
        int others = properties.operators().size();
        return others == 0
                ? Integer.MAX_VALUE
                : Math.max(1, properties.operator().window() / (1 + others));
    }

    /** Returns the names of all operators. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(others.keySet());
        names.add(FIRST);
        return names;
    }

    private @Nullable OperatorLink link(String name) {
        return name.equals(FIRST) ? first : others.get(name);
    }

    /**
     * Submits a message to an operator, see {@link Submitter#submit}.
     *
     * @throws OperatorUnavailableException also if this gateway has no operator of this name: its settings may come later
     */
    public String submit(String name, Sms sms, EntryId id) throws InterruptedException {
        OperatorLink link = link(name);
        if (link != null) {
            return link.submit(sms, id);
        }
        Submitter.requireValid(sms, id);
        throw new OperatorUnavailableException(
                "a route leads to operator '" + name + "', but this gateway has only " + names()
                        + ": set sms.operators." + name + ", or change the route",
                null);
    }

    /** Forgets a message that was given up, so that a replay starts without a history. */
    public void forget(EntryId id) {
        first.forget(id);
        others.values().forEach(link -> link.forget(id));
    }

    @Override
    public void start() {
        others.values().forEach(OperatorLink::start);
    }

    @Override
    public void stop() {
        others.values().forEach(OperatorLink::stop);
    }

    @Override
    public boolean isRunning() {
        return others.values().stream().anyMatch(OperatorLink::isRunning);
    }

    @Override
    public int getPhase() {
        return OperatorLink.PHASE;
    }
}
