package io.georep.comparison;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** A map as state machine. It takes no snapshots: a restart reads the log. */
final class KeyValueMachine extends BaseStateMachine {
    private final Map<ByteString, ByteString> values = new ConcurrentHashMap<>();

    /** The request that writes: length of the key, key, value. */
    static Message write(String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + name.length + value.length);
        bytes.putInt(name.length).put(name).put(value).flip();
        return Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
    }

    /** The request that reads. */
    static Message read(String key) {
        return Message.valueOf(ByteString.copyFromUtf8(key));
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        ByteString data = entry.getStateMachineLogEntry().getLogData();
        int end = Integer.BYTES + data.asReadOnlyByteBuffer().getInt();
        // Copies: these are pieces of a larger buffer that would be kept with them.
        values.put(
                ByteString.copyFrom(data.substring(Integer.BYTES, end).toByteArray()),
                ByteString.copyFrom(data.substring(end).toByteArray()));
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        return CompletableFuture.completedFuture(Message.EMPTY);
    }

    /** Answers with the value; an empty answer means that there is none. */
    @Override
    public CompletableFuture<Message> query(Message request) {
        ByteString value = values.get(request.getContent());
        return CompletableFuture.completedFuture(value == null ? Message.EMPTY : Message.valueOf(value));
    }
}
