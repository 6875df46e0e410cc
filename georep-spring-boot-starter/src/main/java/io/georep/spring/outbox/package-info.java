/** Outboxes as Spring beans: conversion of payloads, and what happens around a send. */
@NullMarked
package io.georep.spring.outbox;

import org.jspecify.annotations.NullMarked;
