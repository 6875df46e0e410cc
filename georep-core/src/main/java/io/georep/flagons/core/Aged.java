package io.georep.flagons.core;

/**
 * A contact with the age of the news about it.
 *
 * @param age shuffles since the node itself said it
 */
public record Aged(Contact contact, int age) {
    /** No age is larger: a machine may have slept for years. */
    static final int AGE_MAX = 1_000_000;
}
