package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AdoptionRights;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.FactReader;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Messages, commands, events and stored pairs of the outbox in words, without payloads. */
final class OutboxText {
    private final Function<StreamId, String> names;

    /** Texts in which streams have these names. */
    OutboxText(Function<StreamId, String> names) {
        this.names = names;
    }

    /** Writes a message: {@code UPDATE b/0 [0-4] epoch 1 order b c a}. */
    String message(int type, BinReader body) {
        OutboxWire.Kind kind = OutboxWire.kind(type);
        if (kind == OutboxWire.Kind.REPLICATE) {
            Group group = Group.decode(body.raw(body.remaining()));
            return "REPLICATE " + entries(group.stream, RangeList.of(group.first, group.to())) + claim(group.custody)
                    + (group.prepared ? ", prepared" : "");
        }
        if (kind == OutboxWire.Kind.ADOPTION) {
            return "ADOPTION " + (AdoptionRights.read(body) ? "allowed" : "forbidden");
        }
        if (kind == OutboxWire.Kind.ATTEMPTS) {
            StreamId stream = body.stream();
            QueueNames.read(body);
            return "ATTEMPTS " + names.apply(stream) + " "
                    + AttemptNews.read(body).stream()
                            .map(item -> "[" + item.sequence() + "] " + attempts(item.mark()))
                            .collect(Collectors.joining(", "));
        }
        OutboxMessages.Message message = OutboxMessages.Message.read(type, body);
        String status = switch (kind) {
            case ACK -> " " + acknowledged(message.status()) + " at epoch " + message.epoch();
            case UPDATED -> " at epoch " + message.epoch();
            case ANSWER -> " " + answer(message.status());
            default -> "";
        };
        return kind + " " + entries(message.stream(), message.ranges()) + status + claim(message.custody());
    }

    private String entries(StreamId stream, RangeList ranges) {
        return names.apply(stream) + " " + numbers(ranges);
    }

    /** Writes {@code [0]} for one entry and {@code [0-4, 7]} for six: both ends of a range belong to it. */
    private static String numbers(RangeList ranges) {
        StringJoiner text = new StringJoiner(", ", "[", "]");
        for (int i = 0; i < ranges.count(); i++) {
            long last = ranges.to(i) - 1;
            text.add(ranges.from(i) == last ? "" + last : ranges.from(i) + "-" + last);
        }
        return text.toString();
    }

    private static String claim(@Nullable Custody custody) {
        if (custody == null) {
            return "";
        }
        String order = custody.order().stream().map(NodeId::value).collect(Collectors.joining(" "));
        return " epoch " + custody.epoch() + " order " + order;
    }

    private String ids(List<EntryId> ids) {
        StringJoiner text = new StringJoiner(" ");
        SequenceSet members = new SequenceSet();
        @Nullable StreamId stream = null;
        for (EntryId id : ids) {
            if (stream != null && !stream.equals(id.stream())) {
                text.add(entries(stream, members.all()));
                members.clear();
            }
            stream = id.stream();
            members.add(id.sequence());
        }
        return stream == null
                ? "nothing"
                : text.add(entries(stream, members.all())).toString();
    }

    /** Writes a command, an event, or a pair of the store. */
    String of(Object what) {
        if (what instanceof OutboxCommand command) {
            return command(command);
        }
        if (what instanceof OutboxEvent event) {
            return event(event);
        }
        return what instanceof EntryStore.Pair pair ? stored(pair.key(), pair.value()) : String.valueOf(what);
    }

    private String command(OutboxCommand command) {
        if (command instanceof OutboxCommand.PutAll all) {
            return puts("put", all.puts());
        } else if (command instanceof OutboxCommand.Forwarded forwarded) {
            return "forwarded " + ids(forwarded.ids());
        } else if (command instanceof OutboxCommand.Return back) {
            String tried = back.tried().isEmpty() ? "" : ", tried " + ids(back.tried());
            return "give back " + ids(back.untouched()) + tried;
        } else if (command instanceof OutboxCommand.Credit credit) {
            return "credit " + credit.entries() + " of " + credit.queue();
        } else if (command instanceof OutboxCommand.MakeDeadLetter letter) {
            return "dead letter " + ids(List.of(letter.id()));
        } else if (command instanceof OutboxCommand.Decide decide) {
            return (decide.commit() ? "commit " : "withdraw ") + ids(decide.ids());
        } else if (command instanceof OutboxCommand.Reread reread) {
            return "read again " + ids(reread.ids());
        } else if (command instanceof OutboxCommand.ReplayDeadLetters replay) {
            return "replay dead letters of " + replay.queue();
        } else if (command instanceof OutboxCommand.DeleteDeadLetters delete) {
            return "delete dead letters of " + delete.queue();
        } else if (command instanceof OutboxCommand.HandOver over) {
            return "hand over what is in " + over.queue();
        } else if (command instanceof OutboxCommand.AllowAdoption allow) {
            return allow.allowed() ? "allow adoption" : "forbid adoption";
        }
        return words(command.getClass());
    }

    private static String count(long entries) {
        return entries == 1 ? "1 entry" : entries + " entries";
    }

    private static String puts(String what, List<OutboxCommand.Put> puts) {
        OutboxCommand.Put first = puts.get(0);
        return what + " " + count(puts.size()) + " of " + first.queue() + ", f = " + first.f()
                + (first.prepared() ? ", prepared" : "");
    }

    private static String acknowledged(int status) {
        return switch (status) {
            case OutboxMessages.STATUS_STORED -> "stored";
            case OutboxMessages.STATUS_DELETED -> "deleted";
            default -> "refused";
        };
    }

    private static String answer(int status) {
        return switch (status) {
            case OutboxMessages.ANSWER_FINISHED -> "finished";
            case OutboxMessages.ANSWER_HELD -> "held";
            case OutboxMessages.ANSWER_COPY -> "copy";
            case OutboxMessages.ANSWER_RELEASED -> "released";
            default -> "unknown";
        };
    }

    private String event(OutboxEvent event) {
        if (event instanceof OutboxEvent.Stored stored) {
            long to = stored.first() + stored.puts().size();
            return "stored " + entries(stored.stream(), RangeList.of(stored.first(), to));
        } else if (event instanceof OutboxEvent.PutFailed failed) {
            return puts("failed", failed.puts()) + ": "
                    + failed.cause().getClass().getSimpleName();
        } else if (event instanceof OutboxEvent.Deliver deliver) {
            boolean isPossiblySent = deliver.entries().stream().anyMatch(OutboxEvent.Delivered::possiblySent);
            List<EntryId> ids =
                    deliver.entries().stream().map(OutboxEvent.Delivered::id).toList();
            return "hand out " + ids(ids) + (isPossiblySent ? ", possibly sent" : "");
        } else if (event instanceof OutboxEvent.Adopted adopted) {
            return "adopted " + count(adopted.entries()) + " from " + adopted.from();
        } else if (event instanceof OutboxEvent.Recall recall) {
            return "ask back " + recall.entries();
        } else if (event instanceof OutboxEvent.Ceded ceded) {
            return "ceded " + count(ceded.entries()) + " to " + ceded.to();
        } else if (event instanceof OutboxEvent.FinishedElsewhere finished) {
            return "finished elsewhere: " + count(finished.entries()) + " of " + names.apply(finished.stream());
        } else if (event instanceof OutboxEvent.CopiesMissing missing) {
            return missing.owner() + " lost copies of " + count(missing.entries());
        } else if (event instanceof OutboxEvent.CopiesRestored restored) {
            return restored.owner() + " has its copies again";
        } else if (event instanceof OutboxEvent.UndecidedFound found) {
            return "undecided: " + count(found.entries());
        } else if (event instanceof OutboxEvent.Changed changed) {
            return "changed " + count(changed.entries());
        }
        return words(event.getClass());
    }

    /** Writes a pair of the store. */
    String stored(byte[] key, Slice value) {
        return switch (key[1]) {
            case 'B' -> "boot number";
            case 'G' -> "group " + entries(OutboxKeys.entry(key).stream(), range(value));
            case 'D' -> "dead letter " + ids(List.of(OutboxKeys.entry(key)));
            case 'A' -> "attempts of " + ids(List.of(OutboxKeys.entry(key)));
            case 'F' -> String.join("; ", facts(value));
            case 'W' -> "T_s + T_x";
            default -> "snapshot";
        };
    }

    private static RangeList range(Slice value) {
        Group group = Group.decode(value);
        return RangeList.of(group.first, group.to());
    }

    /** Returns the facts of one turn. */
    private List<String> facts(Slice value) {
        List<String> facts = new ArrayList<>();
        FactReader.read(value, new FactReader.Visitor() {
            @Override
            public void ofStore(int code, long number) {
                facts.add(code == Ledger.AGE ? "age" : code == Ledger.BOOT ? "boot" : "retired");
            }

            @Override
            public void opened(StreamId stream, String queue) {
                facts.add("open " + names.apply(stream) + " of " + queue);
            }

            @Override
            public void forgotten(StreamId stream) {
                facts.add("forget " + names.apply(stream));
            }

            @Override
            public void about(StreamId stream, Fact fact) {
                facts.add(fact(stream, fact));
            }
        });
        return facts;
    }

    private String fact(StreamId stream, Fact fact) {
        String kind = words(fact.getClass());
        if (fact instanceof Fact.Stored stored) {
            return kind + " " + entries(stream, RangeList.of(stored.from(), stored.to())) + state(stored.custody());
        } else if (fact instanceof Fact.ChangedHands hands) {
            return kind + " " + entries(stream, hands.ranges()) + state(hands.custody());
        } else if (fact instanceof Fact.Finished finished) {
            String owed = finished.toTell().stream()
                    .map(owner -> ", owes " + owner + " DELETE")
                    .collect(Collectors.joining());
            return kind + " " + entries(stream, finished.ranges()) + owed;
        } else if (fact instanceof Fact.OfOwner owner) {
            return "owes " + owner.owner() + " " + duty(owner.duty()) + " of " + entries(stream, owner.ranges());
        } else if (fact instanceof Fact.OfEntries some) {
            return some.mark().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " " + entries(stream, some.ranges());
        }
        return kind;
    }

    private static String attempts(AttemptMark mark) {
        String attempts = mark.attempts() == 1 ? "1 attempt" : mark.attempts() + " attempts";
        return (mark.dead() ? "dead after " : "") + attempts + " in round " + mark.round();
    }

    /** Returns what has to be said to an owner until it has confirmed it. */
    private static String duty(Fact.Duty duty) {
        return switch (duty) {
            case TOLD -> "no DELETE";
            case REPLACED -> "RELEASE";
            case RELEASED -> "no RELEASE";
            case CLAIMED -> "UPDATE";
            case CONFIRMED -> "no UPDATE";
        };
    }

    private static String state(Custody custody) {
        String how = switch (custody.state()) {
            case HELD -> " held";
            case COPY -> " as a copy";
            default -> " released";
        };
        return how + claim(custody);
    }

    /** {@code ChangedHands} as {@code changed hands}. */
    private static String words(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
