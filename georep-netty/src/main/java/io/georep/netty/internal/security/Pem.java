package io.georep.netty.internal.security;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** Reads keys and certificates from PEM text, which the class library of Java 17 does for certificates only. */
final class Pem {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ([A-Z ]*PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

    private Pem() {}

    /** Reads all certificates of a text, in their order. */
    static List<X509Certificate> certificates(byte[] text) throws GeneralSecurityException {
        List<X509Certificate> found = new ArrayList<>();
        for (var certificate :
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(text))) {
            if (certificate instanceof X509Certificate x509) {
                found.add(x509);
            }
        }
        if (found.isEmpty()) {
            throw new GeneralSecurityException("there is no -----BEGIN CERTIFICATE----- in it");
        }
        return found;
    }

    /**
     * Reads the first private key of a text.
     *
     * @param algorithm that of the key, as its certificate says
     * @param password null: the key is not encrypted
     */
    static PrivateKey privateKey(byte[] text, String algorithm, char @Nullable [] password)
            throws GeneralSecurityException, IOException {
        Matcher matcher = KEY.matcher(new String(text, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            throw new GeneralSecurityException("there is no -----BEGIN PRIVATE KEY----- in it");
        }
        byte[] bytes = Base64.getMimeDecoder().decode(matcher.group(2));
        return KeyFactory.getInstance(algorithm).generatePrivate(spec(matcher.group(1), bytes, password));
    }

    private static KeySpec spec(String label, byte[] bytes, char @Nullable [] password)
            throws GeneralSecurityException, IOException {
        return switch (label) {
            case "PRIVATE KEY" -> new PKCS8EncodedKeySpec(bytes);
            case "ENCRYPTED PRIVATE KEY" -> {
                if (password == null) {
                    throw new GeneralSecurityException("the key is encrypted: give its password");
                }
                yield decrypted(new EncryptedPrivateKeyInfo(bytes), password);
            }
            default ->
                throw new GeneralSecurityException("it has a key of the older form " + label
                        + ": write it anew with 'openssl pkcs8 -topk8 -nocrypt'");
        };
    }

    private static KeySpec decrypted(EncryptedPrivateKeyInfo info, char[] password) throws GeneralSecurityException {
        // The name of scheme PBES2 does not tell hash and cipher, but its parameters do.
        String algorithm = info.getAlgParameters() == null
                ? info.getAlgName()
                : info.getAlgParameters().toString();
        PBEKeySpec given = new PBEKeySpec(password);
        try {
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(given),
                    info.getAlgParameters());
            return info.getKeySpec(cipher);
        } finally {
            given.clearPassword();
        }
    }
}
