package io.georep.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations of this library. Each gives a timer, and also a span if tracing is set up. */
public enum GeoRepObservation implements ObservationDocumentation {
    /** From the call of {@code send} until f+1 copies are durable. Its trace context travels with the entry. */
    SEND {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return SendConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {LowCardinality.QUEUE};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {HighCardinality.ENTRIES};
        }
    },
    /** One call of a listener, on whichever node holds the entry; a child of the send, unless the call is a batch. */
    FORWARD {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return ForwardConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {LowCardinality.QUEUE, LowCardinality.LISTENER, LowCardinality.ADOPTED};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {
                HighCardinality.ENTRIES, HighCardinality.ENTRY_ID, HighCardinality.ORIGIN, HighCardinality.ATTEMPT
            };
        }
    };

    /** Tags with few values: on timers and spans. */
    public enum LowCardinality implements KeyName {
        /** Name of the queue. */
        QUEUE("queue"),
        /** Name of the listener. */
        LISTENER("listener"),
        /** Whether this node took the entry over from another one: {@code true} or {@code false}. */
        ADOPTED("adopted");

        private final String text;

        LowCardinality(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }

    /** Tags with many values: on spans only. */
    public enum HighCardinality implements KeyName {
        /** How many entries the call carries. */
        ENTRIES("entries"),
        /** Id of the entry. */
        ENTRY_ID("entry.id"),
        /** The node that accepted the entry. */
        ORIGIN("entry.origin"),
        /** Number of the attempt, from 1. */
        ATTEMPT("entry.attempt");

        private final String text;

        HighCardinality(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }
}
