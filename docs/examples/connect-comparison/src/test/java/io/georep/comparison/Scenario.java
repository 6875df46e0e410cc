package io.georep.comparison;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A connector, its settings, and what happens to it.
 *
 * @param name of the connector
 * @param script what the connector does
 * @param settings of the connector, for both hosts
 * @param restarted whether somebody starts a failed task again; GeoRep does so itself, Kafka Connect needs an operator
 * @param play what happens
 */
record Scenario(String name, Script script, Map<String, String> settings, boolean restarted, Play play) {
    /** What happens in a session. */
    @FunctionalInterface
    interface Play {
        void in(Session session) throws Exception;
    }

    /** A connector that runs in a host. */
    interface Session {
        Journal journal();

        /** Sends to the topic of the sink. Null for no key, no value. */
        void send(String key, String value, Map<String, String> headers) throws Exception;

        default void send(String value) throws Exception {
            send(null, value, Map.of());
        }

        void pause() throws Exception;

        void resume() throws Exception;

        /** Waits until it has ended, and what it flushed is committed. */
        void stop() throws Exception;

        /** How many records the sink need not get again. */
        long flushed() throws Exception;

        /** What is in a topic that a source or dead letters went to. */
        List<Message> messages(String topic, int count) throws Exception;
    }

    /** What somebody who reads the topic gets. */
    record Message(String key, String value, Map<String, String> headers) {}

    /** What came of it. */
    record Outcome(List<String> lines, long flushed, List<Message> messages) {}

    /** The topic of a sink. */
    String input() {
        return name + "-in";
    }

    /** The topic of a source, or for dead letters. */
    String output() {
        return name + "-out";
    }

    Map<String, String> with(String... more) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }
}
