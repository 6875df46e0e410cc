package io.georep.examples.sms.tables;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;

/**
 * Asks for the administrator's password at the endpoint {@code georep} and at the console, which then is for browsers on other
 * machines too. Thread-safe.
 */
final class ConsoleLogin extends HttpFilter {
    private static final long serialVersionUID = 1L;

    private final transient AdminDoor door;

    ConsoleLogin(AdminDoor door) {
        this.door = door;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            door.requireAdmin(request, response);
        } catch (AdminDoor.RefusedException e) {
            response.setStatus(e.status());
            response.setContentType("text/plain;charset=UTF-8");
            response.getOutputStream().write((e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
            return;
        }
        chain.doFilter(new OfAdmin(request, door::name), response);
    }

    /** The console shows itself to whoever has logged in, and logs orders with this name. */
    private static final class OfAdmin extends HttpServletRequestWrapper {
        private final Principal admin;

        OfAdmin(HttpServletRequest request, Principal admin) {
            super(request);
            this.admin = admin;
        }

        @Override
        public Principal getUserPrincipal() {
            return admin;
        }

        @Override
        public String getRemoteUser() {
            return admin.getName();
        }
    }
}
