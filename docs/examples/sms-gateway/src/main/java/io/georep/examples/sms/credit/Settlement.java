package io.georep.examples.sms.credit;

/**
 * The end of a reservation. Travels between the sites as JSON.
 *
 * @param entry id of the message
 * @param account whose credit it is
 * @param givenBack whether no operator takes the message; otherwise one took it
 */
record Settlement(String entry, String account, boolean givenBack) {}
