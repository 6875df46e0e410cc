package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.consensus.LogRecord;
import io.georep.consensus.LogTiming;
import io.georep.consensus.Seat;
import io.georep.geopaxos.core.contact.ForwardedReads;
import io.georep.geopaxos.core.contact.LeasedReads;
import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** A node that may read, and what becomes of the reads. */
abstract class LeasedReadsFixture {
    static final NodeId SELF = NodeId.of("n1");
    static final long PATIENCE = 100;

    final GeoGroups groups =
            new GeoGroups(List.of(SELF), List.of(List.of(SELF)), 1, node -> 0, new LogTiming(1, 16, 1, 48));

    final List<Call> ordered = new ArrayList<>();
    final List<Long> answered = new ArrayList<>();
    final List<GeoMessage.Found> told = new ArrayList<>();
    final GeoOutlet outlet = (GeoOutlet) Proxy.newProxyInstance(
            GeoOutlet.class.getClassLoader(), new Class<?>[] {GeoOutlet.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("answered")) {
                    answered.add((Long) arguments[0]);
                }
                return null;
            });
    final GroupLog.Host host = (GroupLog.Host) Proxy.newProxyInstance(
            GroupLog.Host.class.getClassLoader(), new Class<?>[] {GroupLog.Host.class}, (proxy, method, args) -> {
                if (args != null && args.length == 2 && args[1] instanceof GeoMessage.Found found) {
                    told.add(found);
                }
                return null;
            });
    long now;

    final LeasedReads reads(Executor of, List<GroupLog> logs, Rules by) {
        ForwardedReads elsewhere = new ForwardedReads(host, new Random(1));
        return new LeasedReads(SELF, of, logs, by, outlet, elsewhere, set -> 0, ordered::add, (uses, times) -> {});
    }

    static Call read(long token) {
        return new Call(token, Operation.READ, 0, 0, 0, 0, LeafService.use(token, List.of(5), List.of()));
    }

    /** This node, alone in its group, until it leads. */
    final GroupLog leading() {
        return leading(0);
    }

    final GroupLog leading(int group) {
        Deque<Runnable> due = new ArrayDeque<>();
        List<GroupLog> own = new ArrayList<>();
        GroupLog.Host self = (GroupLog.Host) Proxy.newProxyInstance(
                GroupLog.Host.class.getClassLoader(), new Class<?>[] {GroupLog.Host.class}, (proxy, method, args) -> {
                    if (method.getName().equals("send")) {
                        GeoMessage.Log sent = (GeoMessage.Log) args[1];
                        due.add(() -> own.get(0).log().onMessage(SELF, sent.message(), now));
                    }
                    return null;
                });
        GeoOutlet durable = (GeoOutlet) Proxy.newProxyInstance(
                GeoOutlet.class.getClassLoader(), new Class<?>[] {GeoOutlet.class}, (proxy, method, args) -> {
                    if (method.getName().equals("whenDurable")) {
                        due.add((Runnable) args[0]);
                    }
                    return null;
                });
        own.add(new GroupLog(
                group, new Seat(SELF, 7), groups, LogRecord.empty(List.of(SELF)), new Random(1), self, durable, 0));
        for (now = 1; now < 100; now++) {
            own.get(0).log().endOfTurn(now);
            while (!due.isEmpty()) {
                due.remove().run();
            }
        }
        assertThat(own.get(0).log().leads()).isTrue();
        return own.get(0);
    }

    static void decided(Executor executor, int group, long slot, GroupEntry entry) {
        executor.decided(group, slot, new LogEntry(LogEntry.COMMAND, entry.encode()));
    }
}
