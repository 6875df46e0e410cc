package io.georep.flagons.core;

/**
 * A contact with the age of the news about it.
 *
 * @param age shuffles since the node itself said it
 */
public record Aged(Contact contact, int age) {}
