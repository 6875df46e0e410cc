package io.georep.examples.sms;

/**
 * An optional parameter of SMPP, carried as it came.
 *
 * @param tag which one
 * @param value its value; not to be changed
 */
public record Tlv(short tag, byte[] value) {}
