package org.quartz;

/** What of Quartz's class of this name is serialised: the rows are the same bytes as with Quartz's own, which need not be there. */
public class JobDataMap extends org.quartz.utils.StringKeyDirtyFlagMap {
  private static final long serialVersionUID = -6939901990106713909L;
}
