package io.georep.comparison;

import io.georep.model.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** Whose queues are compared. */
enum QueueProduct {
    /** The outbox, with one copy. */
    GEOREP {
        @Override
        List<Durability> levels() {
            return List.of(Durability.OS, Durability.FSYNC);
        }

        @Override
        ComparedQueue open(Place place) {
            return new GeoRepQueue(place);
        }

        @Override
        String durability(Durability level) {
            return level.name();
        }
    },
    /** {@code IQueue} with one synchronous backup. */
    HAZELCAST {
        @Override
        List<Durability> levels() {
            return List.of(Durability.MEMORY);
        }

        @Override
        ComparedQueue open(Place place) {
            return new HazelcastQueue(place);
        }

        @Override
        String durability(Durability level) {
            return "memory of two";
        }
    },
    /** Quorum queues of three servers. */
    RABBITMQ {
        @Override
        List<Durability> levels() {
            return List.of(Durability.FSYNC);
        }

        @Override
        ComparedQueue open(Place place) throws Exception {
            return new RabbitQueue(place);
        }

        @Override
        void start(QueueServers servers, List<String> hosts, Durability level, int startSeconds)
                throws IOException, InterruptedException {
            RabbitServers.start(servers, hosts, startSeconds);
        }

        @Override
        boolean available() {
            return Files.isExecutable(RabbitServers.BINARIES.resolve("rabbitmq-server"));
        }

        @Override
        String durability(Durability level) {
            return "synced by two of three";
        }
    },
    /** Topics with three copies, on three brokers. */
    KAFKA {
        @Override
        List<Durability> levels() {
            return List.of(Durability.OS, Durability.FSYNC);
        }

        @Override
        ComparedQueue open(Place place) throws Exception {
            return new KafkaQueue(place);
        }

        @Override
        void start(QueueServers servers, List<String> hosts, Durability level, int startSeconds)
                throws IOException, InterruptedException {
            KafkaServers.start(servers, hosts, level, startSeconds);
        }

        @Override
        String durability(Durability level) {
            return level == Durability.OS ? "written by all in sync, two or three" : "synced by all in sync, two or three";
        }
    },
    /** A table as outbox, on a primary with two standbys. */
    POSTGRES {
        @Override
        List<Durability> levels() {
            return List.of(Durability.FSYNC);
        }

        @Override
        ComparedQueue open(Place place) throws Exception {
            return new PostgresQueue(place);
        }

        @Override
        void start(QueueServers servers, List<String> hosts, Durability level, int startSeconds)
                throws IOException, InterruptedException {
            PostgresServers.start(servers, hosts, startSeconds);
        }

        @Override
        boolean available() {
            return PostgresServers.binaries() != null;
        }

        @Override
        String durability(Durability level) {
            return "synced by the primary and a standby";
        }
    };

    /** Levels with which it is measured; those of other products are named by what comes closest. */
    abstract List<Durability> levels();

    /** What an acknowledged entry has behind it, in a few words. */
    abstract String durability(Durability level);

    /** Starts servers of its own, if it has any, and waits until they can be used. */
    void start(QueueServers servers, List<String> hosts, Durability level, int startSeconds)
            throws IOException, InterruptedException {}

    /** Returns whether its programs are on this machine. */
    boolean available() {
        return true;
    }

    /** Opens what the application of one node needs: a node, or a client of the product's servers. */
    abstract ComparedQueue open(Place place) throws Exception;
}
