package io.georep.examples.host;

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
        @DefaultValue("256KB") DataSize payloadMax) {}
