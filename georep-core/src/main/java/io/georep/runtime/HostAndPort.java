package io.georep.runtime;

/** Addresses of nodes as applications write them. */
public final class HostAndPort {
    private HostAndPort() {}

    /** Returns whether an address is {@code host:port} with a port from 1 to 65535. */
    public static boolean isValid(String address) {
        int colon = address.lastIndexOf(':');
        if (colon < 1 || colon == address.length() - 1 || !address.strip().equals(address)) {
            return false;
        }
        String digits = address.substring(colon + 1);
        if (digits.length() > 5 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return false;
        }
        int number = Integer.parseInt(digits);
        return number >= 1 && number <= 65535;
    }
}
