package io.georep.comparison;

/** What is compared. */
enum Product {
    /** {@code ReplicatedMap}, with the master of views on the first, the middle and the last of the nodes. */
    GEOREP {
        @Override
        ComparedMap open(Place place) throws Exception {
            return new GeoRepMap(place);
        }
    },
    /** {@code OrderedMap} of one group. */
    ORDERED {
        @Override
        ComparedMap open(Place place) {
            return new OrderedGeoRepMap(place);
        }
    },
    /** {@code IMap} with a backup on every other member. Reads go to the owner of the key. */
    HAZELCAST {
        @Override
        ComparedMap open(Place place) {
            return new HazelcastMap(place, false);
        }
    },
    /** The same with reads from backups. */
    HAZELCAST_BACKUP_READS {
        @Override
        ComparedMap open(Place place) {
            return new HazelcastMap(place, true);
        }
    },
    /** Replicated cache, synchronous, that refuses reads and writes in the smaller part of a partition. */
    INFINISPAN {
        @Override
        ComparedMap open(Place place) throws Exception {
            return new InfinispanMap(place);
        }
    },
    /** A map as state machine of Raft, with linearizable reads. */
    RATIS {
        @Override
        ComparedMap open(Place place) throws Exception {
            return new RatisMap(place);
        }
    };

    /** Starts a node. */
    abstract ComparedMap open(Place place) throws Exception;
}
