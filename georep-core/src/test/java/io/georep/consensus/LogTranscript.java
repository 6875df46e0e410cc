package io.georep.consensus;

import io.georep.consensus.LogMessage.Accept;
import io.georep.consensus.LogMessage.Accepted;
import io.georep.consensus.LogMessage.Learn;
import io.georep.consensus.LogMessage.Prepare;
import io.georep.consensus.LogMessage.Promise;
import io.georep.consensus.LogMessage.Refuse;
import io.georep.consensus.LogMessage.TakeOver;
import io.georep.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells a conversation of a {@link LogCluster}: a paragraph for each turn of a member, with what it is told, and further to the right what
 * it does. Heartbeats that say nothing new, and their answers, are left out.
 */
final class LogTranscript {
    private final LogCluster cluster;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, String> told = new HashMap<>();
    private final Map<NodeId, String> states = new HashMap<>();
    private String present = "";

    private LogTranscript(LogCluster cluster) {
        this.cluster = cluster;
        cluster.members.values().forEach(member -> states.put(member.id, state(member)));
    }

    /** What happens from now on. */
    static LogTranscript of(LogCluster cluster) {
        cluster.transcript = new LogTranscript(cluster);
        return cluster.transcript;
    }

    /** Something happens to the cluster. */
    LogTranscript note(String what) {
        lines.add("");
        lines.add("# " + cluster.now / LogCluster.MILLI + " ms: " + what);
        present = "";
        return this;
    }

    void says(LogMember member, NodeId from, LogMessage message) {
        if (isNews(from + ">" + member.id, message)) {
            tell(member, "    " + from + " says " + text(message));
        }
    }

    void sends(LogMember member, NodeId to, LogMessage message) {
        if (!to.equals(member.id) && isNews(member.id + " to " + to, message)) {
            tell(member, "        to " + to + ": " + text(message));
        }
    }

    void does(LogMember member, String what) {
        tell(member, "        " + what);
    }

    /** Whether it follows somebody else, or leads. */
    void ends(LogMember member) {
        String state = state(member);
        if (!state.equals(states.put(member.id, state))) {
            tell(member, "        " + state);
        }
        present = "";
    }

    private static String state(LogMember member) {
        if (!member.runs()) {
            return "is down";
        }
        Ballot ballot = member.log.following(member.now());
        return ballot == null
                ? "knows no leader"
                : (member.log.leads() ? "leads with " : "follows ")
                        + ballot
                        + (member.log.hasLease(member.now()) ? ", has the lease" : "");
    }

    private void tell(LogMember member, String line) {
        String turn = member.id + ", " + cluster.now / LogCluster.MILLI + " ms";
        if (!turn.equals(present)) {
            present = turn;
            lines.add("");
            lines.add(turn);
        }
        lines.add(line);
    }

    private boolean isNews(String way, LogMessage message) {
        boolean isBeat =
                (message instanceof Accept accept && accept.entries().isEmpty()) || message instanceof Accepted;
        return !text(message).equals(told.put(way, text(message))) || !isBeat;
    }

    private static String text(LogMessage message) {
        if (message instanceof Prepare it) {
            return (it.probe() ? "would you PROMISE " : "PREPARE ") + it.ballot() + ", behind slot " + it.decided()
                    + (it.released() == null ? "" : ", asked to by " + it.released());
        } else if (message instanceof Promise it) {
            return (it.probe() ? "I would PROMISE " : "PROMISE ") + it.ballot() + accepted(it);
        } else if (message instanceof Refuse it) {
            return "REFUSE, I keep to " + it.ballot();
        } else if (message instanceof Accept it) {
            return "ACCEPT by " + it.ballot() + " " + entries(it.first(), it.entries()) + ", decided up to "
                    + it.decided();
        } else if (message instanceof Accepted it) {
            return "ACCEPTED up to " + it.matched() + (it.gap() ? ", then there is a gap" : "");
        } else if (message instanceof TakeOver it) {
            return "TAKE OVER from " + it.ballot();
        } else if (message instanceof Learn it) {
            return "LEARN " + entries(it.first(), it.entries());
        }
        throw new AssertionError(message);
    }

    private static String accepted(Promise promise) {
        List<LogEntry> entries =
                promise.proposals().stream().map(Proposal::entry).toList();
        return ", have " + entries(promise.first(), entries);
    }

    private static String entries(long first, List<LogEntry> entries) {
        StringBuilder text = new StringBuilder(entries.isEmpty() ? "nothing new" : "");
        for (int i = 0; i < entries.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(first + i).append(": ").append(text(entries.get(i)));
        }
        return text.toString();
    }

    static String text(LogEntry entry) {
        return entry.changesSeats()
                ? "seats "
                        + Seats.read(entry.body()).stream()
                                .map(LogTranscript::text)
                                .toList()
                : new String(entry.body().toArray(), StandardCharsets.UTF_8);
    }

    private static String text(Seat seat) {
        return seat.node() + "/" + seat.store();
    }

    @Override
    public String toString() {
        return String.join("\n", lines.subList(1, lines.size())) + "\n";
    }
}
