package io.georep.examples.host;

import io.georep.model.ConfigurationException;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the door.
 *
 * @param outboxes outboxes that take entries by HTTP; with none, every post is refused
 * @param payloadMax the largest payload that it takes
 */
@ConfigurationProperties("door")
record DoorProperties(
        @DefaultValue Set<String> outboxes,
        @DefaultValue("256KB") DataSize payloadMax) {
    private static final DataSize LARGEST = DataSize.ofMegabytes(64);

    DoorProperties {
        if (payloadMax.toBytes() < 1 || payloadMax.compareTo(LARGEST) > 0) {
            throw new ConfigurationException("door.payload-max is " + payloadMax + ", allowed are 1B to " + LARGEST
                    + ", the most that georep.protocol.payload-bytes-max allows");
        }
    }
}
