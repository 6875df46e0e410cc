package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats;
import io.georep.codec.MalformedException;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bytes of replicated maps: each type of message as a node sends it, each record as it stores it. */
class FunnelGoldenTest extends GoldenFormats {
    /** Version of keys and records: that of the store's directory. */
    private static final int STORE = 1;

    private static final View ABC = view(1, "a", "b", "c");

    /** Of a part only the beginning, the rest is a value. */
    private static final int PART_BYTES = 16;

    @Override
    protected String file() {
        return "maps";
    }

    @Override
    protected List<Format> formats() {
        return new Life().formats();
    }

    /** One message of each type, as it was sent. */
    static Map<Integer, Slice> messages() {
        Life life = new Life();
        life.formats();
        return life.sent;
    }

    /** Three nodes that write, lose messages, ask for them, and change the view. */
    private static final class Life {
        private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
        private final Map<Integer, Slice> sent = new TreeMap<>();
        private final List<Format> formats = new ArrayList<>();
        private int lost = -1;

        /** Of a node that was not told of the commit. */
        private Format heldBack;

        List<Format> formats() {
            live();
            message(FunnelMessages.DATA, "DATA", "view 1, way [], group 1 a 1 @1 [1 m k=v for ever by null 0]");
            message(FunnelMessages.PART, "PART", "view 1, way [1, 2], rank 0, write 4 of 50018, from 0, 6 bytes");
            message(
                    FunnelMessages.REPORT,
                    "REPORT",
                    "view 1, Report[full=false, number=2, clock=1, own=1, applied=0,"
                            + " runs=[Run[code=1, from=1, length=1]], announced=[]]");
            message(FunnelMessages.RESEND, "RESEND", "view 1");
            message(
                    FunnelMessages.COMMIT,
                    "COMMIT",
                    "view 1, Commit[first=1, atMillis=1700000000000, stable=Version[view=1, commit=0],"
                            + " runs=[Run[code=1, from=1, length=1]]]");
            message(
                    FunnelMessages.FLUSH,
                    "FLUSH",
                    "view 2, Holding[version=Version[view=1, commit=9], clock=10,"
                            + " ids=[WriteId[view=1, head=a, counter=10]], newest=Version[view=1, commit=9]]");
            message(
                    FunnelMessages.VIEW_START,
                    "VIEW_START",
                    "view 2, Holding[version=Version[view=1, commit=10], clock=10, ids=[],"
                            + " newest=Version[view=1, commit=10]]");
            message(FunnelMessages.FETCH, "FETCH", "view 1, [WriteId[view=1, head=a, counter=5]]");
            message(FunnelMessages.GROUP, "GROUP", "view 1, group 1 a 5 @5 [3 m lost=w for 60000 by null 0]");
            message(
                    FunnelMessages.CATCH_UP,
                    "CATCH_UP",
                    "view 1, CatchUp[applied=Version[view=1, commit=8], wiped=Version[view=0, commit=0], follow=false]");
            message(
                    FunnelMessages.PAGE,
                    "PAGE",
                    "view 1, full false, complete true, Version[view=1, commit=8] to Version[view=1, commit=9], horizon"
                            + " Version[view=0, commit=0], [true shop, false m c]");
            message(FunnelMessages.QUERY, "QUERY", "view 1, 1 Version[view=1, commit=1] m k");
            message(FunnelMessages.LAST, "LAST", "view 1, 1 1 null");
            message(FunnelMessages.UPDATE, "UPDATE", "view 1, applied 4, [WriteId[view=1, head=a, counter=5]]");
            stores();
            return formats;
        }

        private void live() {
            FunnelNodes.Node a = nodes.node("a");
            nodes.delivers = message -> {
                if (message.type() != lost) {
                    keep(message);
                }
                return message.type() != lost;
            };
            nodes.grant(ABC);
            sent.clear();
            a.put("k", "v");
            nodes.run();
            nodes.node("b").isStoreSlow = true;
            a.put("k", "w");
            nodes.run();
            a.read("k", "read");
            nodes.run();
            nodes.node("b").isStoreSlow = false;
            a.write(FunnelCommand.Kind.REPLACE, "k", "x", "w", Topology.CHAIN);
            nodes.run();
            a.write(FunnelCommand.Kind.PUT, "large", "x".repeat(50_000), null, Topology.CHAIN);
            nodes.run();
            lose(
                    FunnelMessages.DATA,
                    () -> a.protocol.onCommand(
                            new FunnelCommand.Write(
                                    FunnelCommand.Kind.PUT_IF_ABSENT,
                                    FunnelNodes.key("lost"),
                                    FunnelNodes.slice("w"),
                                    null,
                                    60_000,
                                    null,
                                    0,
                                    Topology.STAR,
                                    "lost"),
                            a.turn));
            lose(FunnelMessages.REPORT, () -> a.put("r", "1"));
            lost = FunnelMessages.REPORT;
            a.put("r", "2");
            nodes.run();
            lost = -1;
            a.put("r", "3");
            nodes.run();
            lose(FunnelMessages.COMMIT, () -> a.retry(FunnelCommand.Kind.PUT, "c", "1", "shop", 7, "c"));
            sent.remove(FunnelMessages.FLUSH);
            lost = FunnelMessages.COMMIT;
            a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
            nodes.run();
            lost = -1;
            heldBack = stored("b", "group", 'D', "group 1 a 10 @10 [2 m k=null for ever by null 0]");
            nodes.grant(view(2, "b", "a", "c"));
        }

        private void keep(TestTurn.Sent message) {
            sent.putIfAbsent(message.type(), message.body());
        }

        private void lose(int type, Runnable what) {
            lost = type;
            what.run();
            nodes.run();
            lost = -1;
            nodes.pass(Duration.ofSeconds(3), ABC);
        }

        private void message(int type, String name, String value) {
            Slice body = sent.get(type);
            if (body == null) {
                throw new AssertionError("no " + name + " was sent");
            }
            Slice shown = type == FunnelMessages.PART ? new Slice(body.array(), body.offset(), PART_BYTES) : body;
            formats.add(format(type + " " + name, FunnelProtocol.VERSION, shown, value, in -> describe(type, in)));
        }

        private void stores() {
            stored("key", 'C', "m c: Version[view=1, commit=9] clock 9 of a, 1 until 0");
            stored("client", 'O', "shop: 7 true null");
            formats.add(heldBack);
            stored(
                    "self",
                    'V',
                    "Self[activeView=2, applied=Version[view=2, commit=0], clock=10, horizon=Version[view=1, commit=10],"
                            + " wiped=Version[view=0, commit=0], partial=false]");
        }

        private void stored(String name, char kind, String value) {
            formats.add(stored("c", name, kind, value));
        }

        private Format stored(String node, String name, char kind, String value) {
            BinWriter pair = new BinWriter();
            List<byte[]> places = new ArrayList<>();
            nodes.node(node)
                    .turn
                    .disk()
                    .scanNow(FunnelLayout.first(kind), FunnelLayout.behind(kind), (key, content) -> {
                        places.add(key);
                        pair.bytes(Slice.of(key)).bytes(content);
                        return false;
                    });
            return format(name, STORE, pair.toSlice(), value, in -> {
                byte[] place = in.bytes().toArray();
                if (!Arrays.equals(place, places.get(0))) {
                    throw new MalformedException("a place in the store at which nothing was written");
                }
                return record(place, in.bytes());
            });
        }
    }

    private static Object record(byte[] place, Slice content) {
        return switch (place[1]) {
            case 'C' -> {
                Cell cell = new Cell(place);
                cell.read(content.toArray());
                yield text(cell.key) + ": " + new Version(cell.view, cell.commit) + " clock " + cell.clock + " of "
                        + cell.head + ", " + text(cell.value) + " until " + cell.expiresAt;
            }
            case 'O' -> {
                ClientRecord client = ClientRecord.read(place, content.toArray());
                yield client.client + ": " + client.operation + " " + client.applied + " " + text(client.before);
            }
            case 'D' -> group(content);
            default -> FunnelLayout.Self.decode(content).toString();
        };
    }

    private static Object describe(int type, BinReader in) {
        String start = "view " + in.varint();
        String rest = switch (type) {
            case FunnelMessages.DATA -> way(in) + group(in.raw(in.remaining()));
            case FunnelMessages.PART ->
                way(in) + "rank " + in.u8() + ", write " + in.varint() + " of " + in.varint() + ", from " + in.varint()
                        + ", " + in.remaining() + " bytes";
            case FunnelMessages.REPORT -> FunnelMessages.Report.read(in, 3).toString();
            case FunnelMessages.COMMIT -> FunnelMessages.Commit.read(in, 3).toString();
            case FunnelMessages.FLUSH, FunnelMessages.VIEW_START ->
                FunnelMessages.Holding.read(in).toString();
            case FunnelMessages.FETCH -> Runs.readIds(in).toString();
            case FunnelMessages.GROUP -> group(in.raw(in.remaining()));
            case FunnelMessages.CATCH_UP -> FunnelMessages.CatchUp.read(in).toString();
            case FunnelMessages.PAGE -> page(FunnelMessages.Page.read(in));
            case FunnelMessages.QUERY -> {
                FunnelMessages.Question asked = FunnelMessages.readQuery(in).get(0);
                yield asked.number() + " " + asked.known() + " " + text(asked.key());
            }
            case FunnelMessages.LAST -> {
                FunnelMessages.Answer answer = FunnelMessages.readLast(in).get(0);
                yield answer.number() + " " + answer.known() + " " + text(answer.value());
            }
            case FunnelMessages.UPDATE -> "applied " + in.varint() + ", " + Runs.readIds(in);
            default -> "";
        };
        return rest.isEmpty() ? start : start + ", " + rest;
    }

    private static String way(BinReader in) {
        return "way " + Arrays.toString(Way.read(in, 3)) + ", ";
    }

    private static String group(Slice encoded) {
        List<Write> writes = GroupCodec.read(encoded);
        UncommittedGroup group = writes.get(0).group;
        List<String> texts = new ArrayList<>();
        for (Write write : writes) {
            Write.Content content = write.content;
            String expiring = content.lifeMillis() > 0 ? "for " + content.lifeMillis() : "for ever";
            texts.add(content.kind() + " " + text(content.key()) + "=" + text(content.value()) + " " + expiring + " by "
                    + content.client() + " " + content.operation());
        }
        return "group " + group.view + " " + group.head + " " + group.firstCounter + " @" + group.firstClock + " "
                + texts;
    }

    private static String page(FunnelMessages.Page page) {
        List<String> items = page.items().stream()
                .map(item -> item.isClient() + " " + text(item.name()))
                .toList();
        return "full " + page.full() + ", complete " + page.complete() + ", " + page.from() + " to " + page.until()
                + ", horizon " + page.horizon() + ", " + items;
    }

    private static String text(Slice bytes) {
        return bytes == null ? null : new String(bytes.toArray()).replace("\u0001m", "m ");
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        checkTypes(new FunnelNodes("a").node("a").protocol);
    }
}
