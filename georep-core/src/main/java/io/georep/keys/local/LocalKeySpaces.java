package io.georep.keys.local;

import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceStatistics;
import io.georep.keys.KeySpaces;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyEvent;
import io.georep.model.ConfigurationException;
import io.georep.protocol.local.NodeHandle;
import io.georep.runtime.CallQueue;
import io.georep.runtime.CallingSide;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The key spaces of one running node. */
final class LocalKeySpaces extends CallingSide<KeySpaces, KeyCommand, KeyEvent, KeyEvent> implements KeySpaces {
    private static final CallQueue.Kind<KeyCommand> CALLS = new CallQueue.Kind<>(
            "key spaces",
            CallQueue.BYTES_MAX,
            "the node ended before the write was confirmed: read the key when the node is started again, or write again",
            KeyCommand.Calls::new);

    LocalKeySpaces(NodeHandle<KeyCommand> node) {
        super(node, CALLS);
    }

    @Override
    public KeySpaces service() {
        return this;
    }

    @Override
    public KeySpace local(String name) {
        return new LocalKeySpace(new KeyCommand.Space(checked(name), false), 0, calls);
    }

    @Override
    public KeySpace replicated(String name, int f) {
        if (f < 0 || f > KeySpace.F_MAX) {
            throw new ConfigurationException(
                    "f of key space '" + name + "' is " + f + ", allowed are 0 to " + KeySpace.F_MAX);
        }
        return new LocalKeySpace(new KeyCommand.Space(checked(name), true), f, calls);
    }

    private static String checked(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > KeySpace.NAME_BYTES_MAX) {
            throw new ConfigurationException("the name of key space '" + name + "' has " + bytes
                    + " bytes, allowed are 1 to " + KeySpace.NAME_BYTES_MAX);
        }
        return name;
    }

    @Override
    public CompletionStage<Void> caughtUp(int nodes) {
        return calls.call(0, false, done -> null, token -> new KeyCommand.CatchUp(nodes, token));
    }

    @Override
    public CompletableFuture<KeySpaceStatistics> readStatistics() {
        return calls.call(0, false, read -> ((KeyEvent.Statistics) read).statistics(), KeyCommand.ReadStatistics::new);
    }

    @Override
    public void event(KeyEvent event) {
        if (event instanceof KeyEvent.Done done) {
            calls.answer(done.tokens(), token -> token, token -> done);
        } else if (event instanceof KeyEvent.Failed failed) {
            calls.fail(failed.tokens(), failed.cause());
        } else if (event instanceof KeyEvent.Value value) {
            calls.answer(value.token(), value);
        } else if (event instanceof KeyEvent.Page page) {
            calls.answer(page.token(), page);
        } else if (event instanceof KeyEvent.Statistics read) {
            calls.answer(read.token(), read);
        }
    }
}
