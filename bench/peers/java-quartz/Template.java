import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Date;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;

/** Makes the tables from the statements inside Quartz's own jar; stores the job and trigger that are multiplied later. */
final class Template {
  private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_mysql_innodb.sql";

  private Template() {}

  static void run(Settings settings) throws SchedulerException {
    Scheduler scheduler = Schedulers.create(settings);
    scheduler.scheduleJob(
        Jobs.detail(Jobs.Noop.class, "template", "template", true),
        TriggerBuilder.newTrigger().withIdentity("template", "template").startAt(new Date(System.currentTimeMillis() + 3_600_000)).build());
    scheduler.shutdown();
  }

  static void createTables(Settings settings) throws IOException, SQLException {
    String text;
    try (InputStream file = Scheduler.class.getResourceAsStream(TABLES)) {
      text = new String(file.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)^#.*$", "");
    }
    try (Connection connection = DriverManager.getConnection(settings.text("jdbc", ""), settings.text("user", ""), settings.text("password", ""));
        Statement statement = connection.createStatement()) {
      for (String part : text.split(";")) if (!part.trim().isEmpty()) statement.execute(part);
    }
  }
}
