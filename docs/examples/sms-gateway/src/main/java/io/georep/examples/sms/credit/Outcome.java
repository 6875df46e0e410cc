package io.georep.examples.sms.credit;

/** What a transaction did. */
enum Outcome {
    /** It did what it was asked, or an earlier one had. */
    DONE,
    /** Nothing: too little is free. */
    NOT_ENOUGH,
    /** Nothing: the message has nothing reserved, and never will. */
    NONE,
    /** Nothing: somebody else topped up meanwhile. */
    CHANGED
}
