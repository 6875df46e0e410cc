package io.georep.spring.boot;

/** A payload. */
public record Sms(String to, String text) {}
