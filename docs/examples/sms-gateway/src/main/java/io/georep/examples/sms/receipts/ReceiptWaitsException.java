package io.georep.examples.sms.receipts;

/** A receipt did not reach its client now; another attempt may succeed. */
final class ReceiptWaitsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ReceiptWaitsException(String message) {
        super(message);
    }
}
